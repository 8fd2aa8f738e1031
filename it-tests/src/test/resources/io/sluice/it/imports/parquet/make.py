"""Makes the Parquet files of ParquetImportTest, and the same rows as CSV. Needs pyarrow; the files here are of 26.0.1.

    python3 make.py
"""
import base64
import csv
import datetime
import decimal
import json
import random
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as encryption

random.seed(20)
ROWS = 500
start = datetime.datetime(1969, 12, 30)


def some(value, number):
    return None if number % 7 == 3 else value


def text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(" ", "microseconds") + ("+00" if value.tzinfo else "")
    return str(value)


at = [start + datetime.timedelta(microseconds=random.randrange(10**15)) for _ in range(ROWS)]
columns = [
    ("id", pa.int64(), [i * 3 - 700 for i in range(ROWS)]),
    ("b", pa.bool_(), [some(i % 2 == 0, i) for i in range(ROWS)]),
    ("i8", pa.int8(), [some(i % 256 - 128, i) for i in range(ROWS)]),
    ("u16", pa.uint16(), [some(65535 - i, i) for i in range(ROWS)]),
    ("u32", pa.uint32(), [some(2**32 - 1 - i, i) for i in range(ROWS)]),
    ("u64", pa.uint64(), [some(2**64 - 1 - i * 2**55, i) for i in range(ROWS)]),
    ("f", pa.float32(), [some(i / 4, i) for i in range(ROWS)]),
    ("d", pa.float64(), [some(-i / 3, i) for i in range(ROWS)]),
    ("h", pa.float16(), [some(i / 8, i) for i in range(ROWS)]),
    ("s", pa.string(), [some("né%d" % (i % 20), i) for i in range(ROWS)]),
    ("x", pa.binary(), [some(bytes([i % 256, 0, 255]), i) for i in range(ROWS)]),
    ("u", pa.uuid(), [uuid.UUID(int=random.getrandbits(128)).bytes for i in range(ROWS)]),
    ("day", pa.date32(), [some((start + datetime.timedelta(days=i * 40)).date(), i) for i in range(ROWS)]),
    ("t3", pa.time32("ms"), [some((start + datetime.timedelta(milliseconds=i * 999)).time(), i) for i in range(ROWS)]),
    ("t6", pa.time64("us"), [some((start + datetime.timedelta(microseconds=i * 99999)).time(), i) for i in range(ROWS)]),
    ("local", pa.timestamp("us"), at),
    ("utc", pa.timestamp("ms", "UTC"),
     [a.replace(microsecond=a.microsecond // 1000 * 1000, tzinfo=datetime.timezone.utc) for a in at]),
    ("d9", pa.decimal128(9, 2), [some(decimal.Decimal(i * 7919 - 10**6).scaleb(-2), i) for i in range(ROWS)]),
    ("d18", pa.decimal128(18, 4), [some(decimal.Decimal(i * 10**14 - 10**16).scaleb(-4), i) for i in range(ROWS)]),
    ("d38", pa.decimal128(38, 10), [some(decimal.Decimal(i * 10**30 - 7).scaleb(-10), i) for i in range(ROWS)]),
]
flat = pa.table({name: pa.array([uuid.UUID(bytes=v).bytes for v in values] if name == "u" else values, type)
                 for name, type, values in columns})

with open("rows.csv", "w", newline="") as out:
    write = csv.writer(out, lineterminator="\n")
    for i in range(ROWS):
        write.writerow(text(uuid.UUID(bytes=values[i])) if name == "u" else text(values[i])
                       for name, type, values in columns)

pq.write_table(flat, "zstd.parquet", compression="zstd", row_group_size=150)
pq.write_table(flat, "snappy-v2.parquet", compression="snappy", data_page_version="2.0", data_page_size=512)
pq.write_table(flat, "gzip-plain.parquet", compression="gzip", use_dictionary=False, write_page_checksum=True)
pq.write_table(flat, "lz4-int96.parquet", compression="lz4", use_deprecated_int96_timestamps=True)
pq.write_table(flat, "none-decimal-int.parquet", compression="none", store_decimal_as_integer=True,
               row_group_size=100)
pq.write_table(flat, "deltas.parquet", compression="zstd", use_dictionary=False, column_encoding={
    "id": "DELTA_BINARY_PACKED", "s": "DELTA_BYTE_ARRAY", "x": "DELTA_LENGTH_BYTE_ARRAY",
    "d": "BYTE_STREAM_SPLIT", "i8": "DELTA_BINARY_PACKED"})
pq.write_table(flat.select(["id", "s"]), "brotli.parquet", compression="brotli")
nested = pa.table({"id": [1, 2], "tags": [["a"], []], "nanos": pa.array([1, 2], pa.time64("ns")),
                   "a b": ["x", "y"]})
pq.write_table(nested, "nested.parquet")


# Nested values, and the JSON text that they are in STRING columns.
def json_text(value):
    if isinstance(value, dict):
        return "{" + ",".join(json_text(k) + ":" + json_text(v) for k, v in value.items()) + "}"
    if isinstance(value, list):
        if value and isinstance(value[0], tuple):
            return json_text(dict(value))
        return "[" + ",".join(json_text(v) for v in value) + "]"
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, (bytes, datetime.datetime, datetime.date)):
        return json.dumps(text(value).replace(".000000", ""))
    return json.dumps(value, ensure_ascii=False)


inner = pa.struct([("on", pa.date32()), ("price", pa.decimal128(9, 2)), ("at", pa.timestamp("us", "UTC")),
                   ("raw", pa.binary()), ("tags", pa.list_(pa.string()))])
shapes = [
    ("id", pa.int64(), list(range(60))),
    ("tags", pa.list_(pa.string()), [some(["a\"\\\n", None, "né"][:i % 4], i) for i in range(60)]),
    ("grid", pa.list_(pa.list_(pa.int32())), [[[], None, [i], [1, None, 3]][:i % 5] for i in range(60)]),
    ("counts", pa.map_(pa.string(), pa.int64()), [some([("k%d" % k, k or None) for k in range(i % 3)], i)
                                                  for i in range(60)]),
    ("item", inner, [some({
        "on": some(datetime.date(2024, 2, 29), i), "price": decimal.Decimal(i).scaleb(-2),
        "at": some(start.replace(tzinfo=datetime.timezone.utc), i + 1), "raw": bytes([i, 255]),
        "tags": [None, [], ["x"]][i % 3]}, i + 3) for i in range(60)]),
    ("parts", pa.list_(pa.struct([("n", pa.int32()), ("flags", pa.list_(pa.bool_()))])),
     [[{"n": some(k, k), "flags": [True, None, False][:k % 4]} for k in range(i % 6)] for i in range(60)]),
]
with open("shapes.csv", "w", newline="") as out:
    write = csv.writer(out, lineterminator="\n")
    for i in range(60):
        row = [values[i] for name, type, values in shapes]
        # An empty map is an empty list in Python.
        row[3] = {} if row[3] == [] else row[3]
        write.writerow("" if value is None else json_text(value) for value in row)
pq.write_table(pa.table({name: pa.array(values, type) for name, type, values in shapes}), "shapes.parquet",
               row_group_size=25, data_page_size=64)


class Keys(encryption.KmsClient):
    """Keys of no worth: they are in the files as they are."""

    def __init__(self, config):
        encryption.KmsClient.__init__(self)

    def wrap_key(self, key, master):
        return base64.b64encode(key)


factory = encryption.CryptoFactory(Keys)
for name, columns in ("encrypted-column", dict(column_keys={"k": ["b"]})), ("encrypted-pages", dict(uniform_encryption=True)):
    small = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    keys = factory.file_encryption_properties(
        encryption.KmsConnectionConfig(),
        encryption.EncryptionConfiguration(footer_key="f", plaintext_footer=True, **columns))
    with pq.ParquetWriter(name + ".parquet", small.schema, encryption_properties=keys) as out:
        out.write_table(small)
