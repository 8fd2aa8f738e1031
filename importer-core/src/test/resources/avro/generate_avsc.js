// Writes the Avro files of this directory that avsc makes. Versions: see README.md.
// Run: node generate_avsc.js (needs avsc and snappyjs from npm)
'use strict';
const avro = require('avsc');
const fs = require('fs');
const path = require('path');
const snappy = require('snappyjs');
const zlib = require('zlib');

const schema = {
  type: 'record',
  name: 'Visit',
  fields: [
    {name: 'id', type: 'int'},
    {name: 'name', type: ['null', 'string'], default: null},
    {name: 'score', type: 'double'},
    {name: 'tags', type: {type: 'array', items: 'string'}},
    {name: 'at', type: {type: 'long', logicalType: 'timestamp-millis'}},
    {name: 'day', type: {type: 'int', logicalType: 'date'}},
    {name: 'tint', type: {type: 'enum', name: 'Tint', symbols: ['WARM', 'COLD']}},
    {name: 'mark', type: {type: 'fixed', name: 'Mark', size: 3}},
    {name: 'nested', type: {type: 'record', name: 'Nested', fields: [{name: 'x', type: 'long'}]}},
  ],
};
// avsc writes the names of logical types only if it knows them; these leave values as they are.
class Plain extends avro.types.LogicalType {
  _fromValue(value) { return value; }
  _toValue(value) { return value; }
}
const type = avro.Type.forSchema(schema, {logicalTypes: {date: Plain, 'timestamp-millis': Plain}});

function crc32(buffer) {
  let crc = ~0;
  for (const byte of buffer) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

function row(n) {
  return {
    id: n,
    name: n % 4 ? `visitor ${n}` : null,
    score: n / 8,
    tags: ['a', 'b', 'c'].slice(0, n % 4),
    at: 1000000000000 + n * 86399999,
    day: n * 11 - 300,
    tint: n % 2 ? 'COLD' : 'WARM',
    mark: Buffer.from([n % 256, 7, 255]),
    nested: {x: n},
  };
}

const codecs = {
  null: undefined,
  deflate: (data, done) => zlib.deflateRaw(data, done),
  snappy: (data, done) => {
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crc32(data));
    done(null, Buffer.concat([Buffer.from(snappy.compress(data)), crc]));
  },
};

for (const codec of Object.keys(codecs)) {
  const options = {codec, blockSize: 1000, syncMarker: Buffer.alloc(16, 'avsc')};
  if (codecs[codec]) options.codecs = {[codec]: codecs[codec]};
  const encoder = new avro.streams.BlockEncoder(type, options);
  encoder.pipe(fs.createWriteStream(path.join(__dirname, `avsc-${codec}.avro`)));
  for (let n = 0; n < 150; n++) encoder.write(row(n));
  encoder.end();
}
