// Keys of KVs as values of columns: the inverse of the key encoding, as far as types are whole numbers, texts, bytes, dates,
// times, timestamps, UUIDs and booleans. What cannot be read stays in hexadecimal; keys that were cut end in an ellipsis.

import { get } from './api.js';
import { useLoaded } from './hooks.js';

const DAY_MILLIS = 86_400_000;
const INT_ZERO = 0x88, INT_SMALL = 109, INT_MAX = 0xfd, BYTES = 0x12, BYTES_DESC = 0x13, TIMESTAMP = 0x14, NULL_ASC = 0x00, NULL_DESC = 0xff;
const MAX_TEXT = 40;

/** A table by its name, once it is visible; undefined until then. */
export function useTable(name, deps = []) {
  const { data } = useLoaded(signal => get('v1/tables', {}, signal), [name, ...deps]);
  return data?.find(table => table.table.def.name === name)?.table;
}

/** A key as "index: column=value, …"; the hexadecimal digits where the table is not known or the key is no index's. */
export function keyText(hex, table) {
  if (!hex || !table) return hex;
  const cut = hex.endsWith('…');
  const bytes = (hex.match(/[0-9a-f]{2}/g) || []).map(pair => parseInt(pair, 16));
  const cursor = { bytes, at: 0 };
  try {
    const { primary, secondaries, columns, name } = table.def;
    const indexes = [primary, ...secondaries];
    const id = number(cursor) === BigInt(table.id) ? Number(number(cursor)) : Infinity;
    const index = indexes.find(each => each.id === id);
    // A bound of a span may be the first key after the last index.
    if (!index && cursor.at === bytes.length && indexes.every(each => each.id < id)) return `end of ${name}`;
    if (!index || index.interleave) return hex;
    // After the columns of an index come those of the primary key, ascending; in a unique index only if one of its own is NULL.
    const rest = index === primary ? [] : primary.columns.filter(part => !index.columns.some(own => own.column === part.column))
      .map(part => ({ column: part.column, direction: 'ASC' }));
    const words = [];
    let ownNull = false;
    for (const part of [...index.columns, ...rest]) {
      if (cursor.at >= bytes.length || (rest.includes(part) && index.unique && !ownNull)) break;
      const column = columns[part.column];
      const start = cursor.at;
      let value;
      try {
        value = read(cursor, column.type.kind, part.direction === 'DESC');
      } catch (e) {
        if (!cut) throw e;
      }
      if (value === undefined) return `${index.name}: ${[...words, `${column.name}=0x${hex.slice(2 * start)}`].join(', ')}`;
      ownNull ||= value === 'NULL';
      words.push(`${column.name}=${value}`);
    }
    return `${index.name}${words.length ? ': ' + words.join(', ') : ''}${cut ? ' …' : ''}`;
  } catch (e) {
    // Not a key of this table.
    return hex;
  }
}

/** The value of a column, in text; undefined if its type is not read here. */
function read(cursor, kind, desc) {
  const first = cursor.bytes[cursor.at];
  if (first === (desc ? NULL_DESC : NULL_ASC)) { cursor.at++; return 'NULL'; }
  switch (kind) {
    case 'INT2': case 'INT4': case 'INT8': return String(number(cursor, desc));
    case 'BOOL': return number(cursor, desc) === 0n ? 'false' : 'true';
    case 'DATE': return new Date(Number(number(cursor, desc)) * DAY_MILLIS).toISOString().slice(0, 10);
    case 'STRING': return JSON.stringify(shortened(new TextDecoder().decode(new Uint8Array(escaped(cursor, desc)))));
    case 'BYTES': return shortened(`\\x${digits(escaped(cursor, desc))}`);
    case 'UUID': return digits(escaped(cursor, desc)).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    case 'TIME': return clock(number(cursor, desc));
    case 'TIMESTAMP': case 'TIMESTAMPTZ': return moment(cursor, desc) + (kind === 'TIMESTAMPTZ' ? '+00' : '');
    default: return undefined;
  }
}

const shortened = text => (text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) + '…' : text);
const digits = bytes => bytes.map(byte => byte.toString(16).padStart(2, '0')).join('');

/** A part of a second, of so many to the second, without zeros at its end. */
const fraction = (part, perSecond) => `.${String(part + perSecond).slice(1)}`.replace(/\.?0*$/, '');

/** A time of day in microseconds; the day ends at 24:00:00. */
function clock(micros) {
  const seconds = micros / 1_000_000n;
  const two = value => String(value).padStart(2, '0');
  return `${two(seconds / 3600n)}:${two(seconds / 60n % 60n)}:${two(seconds % 60n)}${fraction(micros % 1_000_000n, 1_000_000n)}`;
}

/** Seconds since 1970 and nanoseconds after them. */
function moment(cursor, desc) {
  if (next(cursor) !== TIMESTAMP) throw new RangeError('no timestamp');
  const seconds = number(cursor, desc);
  const whole = new Date(Number(seconds) * 1000).toISOString().split('.')[0].replace('T', ' ');
  return whole + fraction(number(cursor, desc), 1_000_000_000n);
}

/** A whole number of variable length; of a descending column the complement. */
function number(cursor, desc = false) {
  const first = next(cursor);
  let value;
  if (first < INT_ZERO) {
    value = -1n;
    for (let i = INT_ZERO - first; i > 0; i--) value = (value << 8n) | BigInt(next(cursor));
  } else if (first <= INT_ZERO + INT_SMALL) {
    value = BigInt(first - INT_ZERO);
  } else if (first <= INT_MAX) {
    value = 0n;
    for (let i = first - INT_ZERO - INT_SMALL; i > 0; i--) value = (value << 8n) | BigInt(next(cursor));
  } else {
    throw new RangeError('no number');
  }
  return desc ? ~value : value;
}

/** Bytes between their marker and terminator, where a zero byte is followed by 0xff. */
function escaped(cursor, desc) {
  if (next(cursor) !== (desc ? BYTES_DESC : BYTES)) throw new RangeError('no text');
  const flip = desc ? 0xff : 0;
  const out = [];
  for (;;) {
    const byte = next(cursor) ^ flip;
    if (byte !== 0) { out.push(byte); continue; }
    if ((next(cursor) ^ flip) === 1) return out;
    out.push(0);
  }
}

function next(cursor) {
  if (cursor.at >= cursor.bytes.length) throw new RangeError('the key ends');
  return cursor.bytes[cursor.at++];
}
