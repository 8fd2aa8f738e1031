"""Writes the Avro files of this directory that fastavro makes. Versions: see README.md.

Run: python3 generate_fastavro.py (needs fastavro, cramjam and backports.zstd from PyPI)
"""

import datetime
import decimal
import json
import os
import uuid

import fastavro

HERE = os.path.dirname(os.path.abspath(__file__))
SYNC = bytes(range(16))

SCHEMA = {
    "type": "record",
    "name": "everything",
    "namespace": "test",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "flag", "type": "boolean"},
        {"name": "small", "type": "int"},
        {"name": "single", "type": "float"},
        {"name": "real", "type": "double"},
        {"name": "text", "type": "string"},
        {"name": "raw", "type": "bytes"},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
        {"name": "wide", "type": {"type": "fixed", "name": "wide_t", "size": 16, "logicalType": "decimal",
                                  "precision": 38, "scale": 4}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "t_millis", "type": {"type": "int", "logicalType": "time-millis"}},
        {"name": "t_micros", "type": {"type": "long", "logicalType": "time-micros"}},
        {"name": "ts_millis", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "ts_micros", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "local_millis", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
        {"name": "local_micros", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
        {"name": "u_text", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "kind", "type": {"type": "enum", "name": "kind_t", "symbols": ["RED", "GREEN", "BLUE"]}},
        {"name": "four", "type": {"type": "fixed", "name": "four_t", "size": 4}},
        {"name": "maybe", "type": ["null", "string"]},
        {"name": "maybe_last", "type": ["long", "null"]},
        {"name": "several", "type": ["null", "int", "long", "string"]},
        {"name": "ignored", "type": {"type": "array", "items": {"type": "map", "values": "string"}}},
    ],
}

UTC = datetime.timezone.utc


def row(n):
    stamp = datetime.datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC) + datetime.timedelta(
        days=n * 37 - 20000, microseconds=n * 1001)
    millis = stamp.replace(microsecond=stamp.microsecond // 1000 * 1000)
    return {
        "id": n,
        "flag": n % 3 == 0,
        "small": (n * 7919) % 2000 - 1000,
        "single": n / 4,
        "real": n / 10,
        "text": "row %d \u00e9\u4e2d\U0001f600" % n,
        "raw": bytes([n % 256, 0, 255]),
        "price": decimal.Decimal(n * 101 - 5000) / 100,
        "wide": decimal.Decimal((-1) ** n * (10 ** 20 + n)) / 10000,
        "day": stamp.date(),
        "t_millis": millis.time(),
        "t_micros": stamp.time(),
        "ts_millis": millis,
        "ts_micros": stamp,
        "local_millis": millis.replace(tzinfo=None),
        "local_micros": stamp.replace(tzinfo=None),
        "u_text": uuid.UUID(int=n * 0x1234567890ABCDEF1234567),
        "kind": ["RED", "GREEN", "BLUE"][n % 3],
        "four": bytes([n % 256, 1, 2, 3]),
        "maybe": None if n % 2 else "here",
        "maybe_last": None if n % 5 == 0 else n * n,
        "several": [None, n, 2 ** 40 + n, str(n)][n % 4],
        "ignored": [{"a": "b"}, {}][: n % 3],
    }


def sql(value):
    """A value as Sluice prints it in a scan."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, datetime.datetime):
        text = value.strftime("%Y-%m-%d %H:%M:%S")
        fraction = (".%06d" % value.microsecond).rstrip("0").rstrip(".")
        return text + fraction + ("+00" if value.tzinfo else "")
    if isinstance(value, datetime.time):
        fraction = (".%06d" % value.microsecond).rstrip("0").rstrip(".")
        return value.strftime("%H:%M:%S") + fraction
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def main():
    rows = [row(n) for n in range(200)]
    for codec in ["null", "deflate", "snappy", "bzip2", "xz", "zstandard"]:
        with open(os.path.join(HERE, "fastavro-%s.avro" % codec), "wb") as out:
            fastavro.writer(out, SCHEMA, rows, codec=codec, sync_interval=2000, sync_marker=SYNC)
    with open(os.path.join(HERE, "expected.txt"), "w", encoding="utf-8") as out:
        for r in rows:
            r = dict(r)
            del r["ignored"]
            for name, digits in (("price", 2), ("wide", 4)):
                r[name] = format(r[name], ".%df" % digits)
            out.write(" | ".join(sql(v) for v in r.values()) + "\n")
    with open(os.path.join(HERE, "everything.avsc"), "w") as out:
        json.dump(SCHEMA, out, indent=1)
    with open(os.path.join(HERE, "fastavro.datums"), "wb") as out:
        for r in rows[:50]:
            fastavro.schemaless_writer(out, SCHEMA, r)
    with open(os.path.join(HERE, "fastavro.jsonl"), "w", encoding="utf-8") as out:
        fastavro.json_writer(out, SCHEMA, rows[:50])


main()
