"""Random Parquet files and JSON lines for PythonFilesTest, with the values that pyarrow, DuckDB and Python's json read from them.

    random_files.py parquet|duckdb|json SEED FIRST COUNT DIRECTORY

For each file N: N.sql has the columns, N.parquet or N.json the rows, and N.expected one JSON array of texts for each row.
"""
import datetime
import decimal
import json
import random
import sys

kind, seed, first, count, directory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
EPOCH = datetime.datetime(1970, 1, 1)
LETTERS = 'ab{},"\\ \t\n\u00e9\u6f22\U0001f600'


def plain(value):
    return format(value, "f") if value.as_tuple().exponent <= 0 else str(value)


def normal(value):
    """A document as Sluice prints it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\x7f")
    if isinstance(value, (int, decimal.Decimal)):
        return plain(value) if isinstance(value, decimal.Decimal) else str(value)
    if isinstance(value, dict):
        # Python sorts texts by code points, which is the order of their UTF-8.
        return "{" + ", ".join(normal(k) + ": " + normal(value[k]) for k in sorted(value)) + "}"
    return "[" + ", ".join(normal(v) for v in value) + "]"


def text(value, sql):
    if value is None:
        return None
    if sql.endswith("[]"):
        return "{" + ",".join(element(text(v, sql[:-2])) for v in value) + "}"
    if sql == "JSONB":
        return normal(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Infinity" if value > 0 else "-Infinity"
        return "-0" if str(value) == "-0.0" else str(int(value)) if value == int(value) else str(value)
    if isinstance(value, decimal.Decimal):
        return plain(value)
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    if isinstance(value, datetime.datetime):
        moment = value.replace(tzinfo=None).isoformat(" ")
        return (moment.rstrip("0") if "." in moment else moment) + ("+00" if value.tzinfo else "")
    if isinstance(value, datetime.time):
        moment = value.isoformat()
        return moment.rstrip("0") if "." in moment else moment
    return str(value)


def element(value):
    if value is None:
        return "NULL"
    special = value == "" or value.upper() == "NULL" or any(c in '{},"\\ \t\n\r\v\f' for c in value)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' if special else value


def letters(r, most):
    return "".join(r.choice(LETTERS) for _ in range(r.randrange(most)))


def number(r, bits):
    return r.getrandbits(r.randrange(1, bits)) * r.choice((1, -1))


def parquet(r, path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    def moment(r):
        return EPOCH + datetime.timedelta(microseconds=r.randrange(-10**15, 4 * 10**15))

    scalars = [
        (lambda: (pa.int8(), "INT2", lambda: number(r, 8))),
        (lambda: (pa.int16(), "INT2", lambda: number(r, 16))),
        (lambda: (pa.int32(), "INT4", lambda: number(r, 32))),
        (lambda: (pa.int64(), "INT8", lambda: number(r, 64))),
        (lambda: (pa.uint32(), "INT8", lambda: r.getrandbits(32))),
        (lambda: (pa.uint64(), "DECIMAL", lambda: r.getrandbits(64))),
        (lambda: (pa.bool_(), "BOOL", lambda: r.random() < 0.5)),
        (lambda: (pa.float32(), "FLOAT4", lambda: r.choice((r.randrange(-999, 999) / 8, float("nan"), -0.0)))),
        (lambda: (pa.float64(), "FLOAT8", lambda: r.choice((r.randrange(-99999, 99999) / 8, float("inf"))))),
        (lambda: (pa.string(), "STRING", lambda: letters(r, 12))),
        (lambda: (pa.large_string(), "STRING", lambda: letters(r, 200))),
        (lambda: (pa.binary(), "BYTES", lambda: r.randbytes(r.randrange(9)))),
        (lambda: (pa.binary(5), "BYTES", lambda: r.randbytes(5))),
        (lambda: (pa.date32(), "DATE", lambda: moment(r).date())),
        (lambda: (pa.time64("us"), "TIME", lambda: moment(r).time())),
        (lambda: (pa.timestamp("us"), "TIMESTAMP", lambda: moment(r))),
        (lambda: (pa.timestamp("us", "UTC"), "TIMESTAMPTZ",
                  lambda: moment(r).replace(tzinfo=datetime.timezone.utc))),
    ]
    for digits, scale in ((9, 2), (18, 0), (38, 10)):
        scalars.append(lambda d=digits, s=scale: (
            pa.decimal128(d, s), "DECIMAL(%d,%d)" % (d, s),
            lambda: decimal.Decimal(number(r, int(d * 3.3))).scaleb(-s)))

    def nested():
        choice = r.randrange(4)
        if choice < 2:
            type, sql, value = r.choice(scalars)()
            nulls = r.random() < 0.5
            return pa.list_(type), sql + "[]", lambda: [
                None if nulls and r.random() < 0.3 else value() for _ in range(r.randrange(5))]
        if choice == 2:
            return pa.struct([("b", pa.int64()), ("a", pa.list_(pa.string()))]), "JSONB", lambda: {
                "b": None if r.random() < 0.3 else number(r, 64),
                "a": None if r.random() < 0.3 else [letters(r, 5) for _ in range(r.randrange(4))]}
        return pa.list_(pa.list_(pa.bool_())), "JSONB", lambda: [
            None if r.random() < 0.2 else [r.random() < 0.5 for _ in range(r.randrange(4))] for _ in range(r.randrange(4))]

    rows = r.choice((0, 1, 10, 100, 600, 3000))
    fields, columns, declared, plain_types = [], [], [], []
    for i in range(r.randrange(1, 8)):
        scalar = r.random() < 0.75
        type, sql, value = r.choice(scalars)() if scalar else nested()
        share = r.choice((0, 0, 0.1, 0.9, 1))
        few = [value() for _ in range(r.choice((1, 3, 40)))] if r.random() < 0.5 else None
        data, last = [], 0
        for _ in range(rows):
            if last == 0:
                last = r.choice((1, 1, 1, 30))
                now = None if r.random() < share else r.choice(few) if few else value()
            last -= 1
            data.append(now)
        nullable = share > 0 or r.random() < 0.5
        fields.append(pa.field("c%d" % i, type, nullable))
        columns.append(pa.array(data, type))
        declared.append(("c%d" % i, sql, nullable))
        plain_types.append(type)
    table = pa.table(columns, schema=pa.schema(fields))
    options = dict(
        compression=r.choice(("none", "snappy", "gzip", "zstd", "lz4", "brotli")), data_page_version=r.choice(("1.0", "2.0")),
        data_page_size=r.choice((1, 100, 5000, 1 << 20)), row_group_size=r.choice((7, 100, 1000, 10000)),
        write_batch_size=r.choice((1, 10, 1024)), write_page_checksum=r.random() < 0.3,
        use_dictionary=r.random() < 0.6, dictionary_pagesize_limit=r.choice((50, 1000, 1 << 20)),
        store_decimal_as_integer=r.random() < 0.3)
    if not options["use_dictionary"] and r.random() < 0.5:
        encodings = {}
        for name, type in zip(table.column_names, plain_types):
            if type in (pa.int32(), pa.int64()):
                encodings[name] = r.choice(("PLAIN", "DELTA_BINARY_PACKED"))
            elif type in (pa.float32(), pa.float64()):
                encodings[name] = r.choice(("PLAIN", "BYTE_STREAM_SPLIT"))
            elif type in (pa.string(), pa.binary()):
                encodings[name] = r.choice(("PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"))
            elif type == pa.bool_():
                encodings[name] = r.choice(("PLAIN", "RLE"))
        options["column_encoding"] = encodings
    pq.write_table(table, path + ".parquet", **options)
    try:
        # One thread: a reader of many small files is no faster with more.
        read = pq.read_table(path + ".parquet", use_threads=False).to_pylist()
    except pa.ArrowInvalid:
        read = None
    if read is None or len(read) != rows:
        # pyarrow cannot read some of its own files, of lists in pages of a few values, or finds fewer rows than it wrote.
        return parquet(r, path)
    if kind == "duckdb":
        read = duckdb_rows(path + ".parquet")
    return declared, [[text(row[name], sql) for name, sql, _ in declared] for row in read]


def duckdb_rows(file):
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.execute("SELECT * FROM read_parquet(?)", [file])
        names = [column[0] for column in rows.description]
        return [dict(zip(names, row)) for row in rows.fetchall()]


def token(r, depth):
    """The text of a random value, with blanks wherever they may stand."""
    def blank():
        return r.choice(("", "", "", " ", "\t"))

    choice = r.randrange(5 if depth == 0 else 7)
    if choice == 0:
        inner = r.choice(("null", "true", "false"))
    elif choice < 3:
        digits = str(r.getrandbits(r.randrange(1, 200)))
        inner = ("-" if r.random() < 0.3 and digits != "0" else "") + digits
        inner += "." + "".join(r.choice("0123456789") for _ in range(r.randrange(1, 20))) if r.random() < 0.5 else ""
        inner += r.choice(("e", "E")) + r.choice(("", "+", "-")) + str(r.randrange(40)) if r.random() < 0.2 else ""
    elif choice < 5:
        inner = json.dumps(letters(r, 9), ensure_ascii=r.random() < 0.5)
    elif choice == 5:
        inner = "[" + ",".join(token(r, depth - 1) for _ in range(r.choice((0, 1, 3, 40)))) + blank() + "]"
    else:
        inner = "{" + ",".join(blank() + json.dumps(letters(r, 3)) + blank() + ":" + token(r, depth - 1)
                               for _ in range(r.choice((0, 1, 3, 40)))) + blank() + "}"
    return blank() + inner + blank()


def json_lines(r, path):
    declared = [("doc", "JSONB", True), ("n", "DECIMAL", True), ("tags", "STRING[]", True)]
    lines, rows = [], []
    for _ in range(r.choice((1, 20))):
        tags = "[" + ",".join(json.dumps(letters(r, 6)) if r.random() < 0.8 else "null" for _ in range(r.randrange(5))) + "]"
        n = token(random.Random(r.random()), 0)
        while n.strip()[0] not in "-0123456789":
            n = token(r, 0)
        line = '{"doc":' + token(r, 3) + ',"n":' + n + ',"tags":' + tags + "}"
        lines.append(line)
        read = json.loads(line, parse_float=decimal.Decimal, parse_int=lambda t: decimal.Decimal(t))
        rows.append([text(read[name], sql) for name, sql, _ in declared])
    with open(path + ".json", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    return declared, rows


for index in range(first, first + count):
    generator = random.Random(seed * 1_000_003 + index)
    name = "%s/%d" % (directory, index)
    declared, rows = (json_lines if kind == "json" else parquet)(generator, name)
    with open(name + ".sql", "w") as out:
        out.write(", ".join(c + " " + sql + ("" if nullable else " NOT NULL") for c, sql, nullable in declared))
    with open(name + ".expected", "w", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row) + "\n")
