"""Makes files as other tools export them, of the rows below, for ExportedFilesTest.

    python3 make.py DIRECTORY [POSTGRES_BIN]

The files of pandas, pyarrow and DuckDB are written by these packages (here pandas 3.1.1, pyarrow 26.0.1, DuckDB 2.0.1).
Those of PostgreSQL come from its COPY, if the directory of its programs is given (here 15). The others were
written by hand after the documentation of the tools, because they are not free or too large for a build:
MySQL's OUTFILE, Excel, ClickHouse, Spark's CSV, mongoexport.
"""
import datetime
import decimal
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

out = pathlib.Path(sys.argv[1])
D = decimal.Decimal
T = datetime.datetime

# id, name, price, ratio, paid, day, seen, note, tags, doc
ROWS = [
    (1, "Ann", D("12.50"), 0.5, True, datetime.date(2024, 2, 29), T(2024, 2, 29, 13, 5, 7), "plain", ["a", "b"],
     {"k": 1}),
    (2, 'Bo "B" O\'Neil', D("-3.05"), -1e-7, False, datetime.date(1999, 12, 31), T(1969, 12, 31, 23, 59, 59, 500000),
     "comma, semicolon; tab\tbackslash \\ end", ["x y", 'q"'], {"s": "é\"\\", "n": None}),
    (3, "Çelik Öz", D("1234567.89"), 1e20, True, datetime.date(2000, 1, 1), T(2000, 1, 1), "line 1\nline 2", [],
     [1, [2.5], {}]),
    (4, None, None, None, None, None, None, None, None, None),
    (5, "", D("0.00"), 0.1, False, datetime.date(1582, 10, 15), T(2038, 1, 19, 3, 14, 8), "", [None, "NULL", ""], {}),
]
NAMES = ["id", "name", "price", "ratio", "paid", "day", "seen", "note", "tags", "doc"]


def write(name, text, encoding="utf-8"):
    (out / name).write_bytes(text.encode(encoding))


def array(tags):
    def element(tag):
        if tag is None:
            return "NULL"
        plain = tag and tag != "NULL" and not any(c in ' ,{}"\\' for c in tag)
        return tag if plain else '"' + tag.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return "{" + ",".join(element(tag) for tag in tags) + "}"


def compact(doc):
    return json.dumps(doc, ensure_ascii=False, separators=(", ", ": "), sort_keys=True)


def expected(file, columns=10, rows=ROWS, **changes):
    """Writes the rows as `sluice scan --format csv` prints them: NULL is nothing, an empty text is two quotes."""
    lines = []
    for row in rows:
        fields = []
        for column, value in zip(NAMES[:columns], row):
            if column in changes:
                value = changes[column](row, value)
            if value is None:
                fields.append("")
                continue
            if isinstance(value, list) and column == "tags":
                text = array(value)
            elif column == "doc":
                text = compact(value)
            elif isinstance(value, bool):
                text = "true" if value else "false"
            elif column == "ratio":
                text = {-1e-7: "-1e-07", 1e20: "1e+20"}.get(value, str(value))
            else:
                text = str(value)
                if column == "seen" and value.microsecond:
                    text = text.rstrip("0")
            quoted = text == "" or any(c in '",\n\r' for c in text)
            fields.append('"' + text.replace('"', '""') + '"' if quoted else text)
        lines.append(",".join(fields))
    write("expected-" + file + ".csv", "\n".join(lines) + "\n")


def no_empty(row, value):
    return value or None


expected("all")
expected("all-8", 8)
# What has no empty text, or does not tell it from NULL.
expected("pandas-csv", 8, name=no_empty, note=no_empty)
expected("excel", 7, [row for row in ROWS if row[0] in (1, 3, 4)])
# Excel's words for BOOL in other languages are no values of BOOL; the column is a text.
for language, words in (("de-de", ("WAHR", "FALSCH")), ("fr-fr", ("VRAI", "FAUX"))):
    expected("excel-" + language, 7, [row for row in ROWS if row[0] in (1, 3, 4)],
             paid=lambda row, value, words=words: None if value is None else words[0 if value else 1])

# pandas: NaN is an empty field, and so is an empty text.
frame = pd.DataFrame([row[:8] for row in ROWS], columns=NAMES[:8])
frame.to_csv(out / "pandas.csv", index=False)
frame = pd.DataFrame([row[:8] + (row[8], None if row[9] is None else compact(row[9])) for row in ROWS], columns=NAMES)
for i, name in ((2, "price"), (5, "day"), (6, "seen")):
    frame[name] = pd.Series([None if row[i] is None else str(row[i]) for row in ROWS], dtype=object)
frame.to_json(out / "pandas.jsonl", orient="records", lines=True, force_ascii=False)

# pyarrow as pandas uses it, and with the types and names that Snowflake unloads: DECIMAL for all numbers, upper case.
TYPES = [pa.int64(), pa.string(), pa.decimal128(10, 2), pa.float64(), pa.bool_(), pa.date32(), pa.timestamp("us"),
         pa.string(), pa.list_(pa.string())]


def table(types, names):
    columns = [pa.array([row[i] for row in ROWS], type) for i, type in enumerate(types)]
    columns.append(pa.array([None if row[9] is None else compact(row[9]) for row in ROWS], pa.string()))
    return pa.table(columns, names=names)


pq.write_table(table(TYPES, NAMES), out / "pandas.parquet", compression="snappy")
snowflake = list(TYPES)
snowflake[0] = pa.decimal128(38, 0)
snowflake[2] = pa.decimal128(38, 2)
snowflake[6] = pa.timestamp("ms")
snowflake[8] = pa.string()
rows = [row[:8] + (None if row[8] is None else json.dumps(row[8]), row[9]) for row in ROWS]
columns = [pa.array([row[i] for row in rows], type) for i, type in enumerate(snowflake)]
columns.append(pa.array([None if row[9] is None else compact(row[9]) for row in rows], pa.string()))
pq.write_table(pa.table(columns, names=[name.upper() for name in NAMES]), out / "snowflake.parquet",
               compression="snappy", use_dictionary=False, version="1.0")

# Spark writes timestamps as INT96 and lists with the names bag and array_element or list and element.
pq.write_table(table(TYPES, NAMES), out / "spark.parquet", compression="gzip", use_deprecated_int96_timestamps=True)

# DuckDB
base = duckdb.connect()
base.execute("CREATE TABLE t (id BIGINT, name VARCHAR, price DECIMAL(10,2), ratio DOUBLE, paid BOOLEAN, day DATE,"
             " seen TIMESTAMP, note VARCHAR, tags VARCHAR[], doc JSON)")
for row in ROWS:
    base.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 row[:9] + (None if row[9] is None else compact(row[9]),))
base.execute(f"COPY (SELECT * REPLACE (to_json(tags) AS tags) FROM t) TO '{out}/duckdb.csv' (HEADER)")
base.execute(f"COPY t TO '{out}/duckdb.parquet' (FORMAT parquet, CODEC zstd)")
base.execute(f"COPY t TO '{out}/duckdb.jsonl' (FORMAT json)")
base.execute(f"COPY t TO '{out}/duckdb.json' (FORMAT json, ARRAY true)")

# Excel: what "CSV UTF-8", "CSV" and "Unicode Text" of three locales hold. A cell shows dates and times without fractions.
# It has no NULL and no empty text. The rows without fractions and line ends:
SHEET = [row[:7] for row in ROWS if row[0] in (1, 3, 4)]


def sheet(delimiter, comma, true, false, day, moment, newline="\r\n"):
    lines = [delimiter.join(NAMES[:7])]
    for row in SHEET:
        fields = []
        for name, value in zip(NAMES, row):
            if value is None:
                fields.append("")
            elif name == "paid":
                fields.append(true if value else false)
            elif name == "day":
                fields.append(value.strftime(day))
            elif name == "seen":
                fields.append(value.strftime(moment))
            elif name in ("price", "ratio"):
                text = "1E+20" if value == 1e20 else str(value)
                fields.append(text.replace(".", comma))
            else:
                fields.append(str(value))
        lines.append(delimiter.join(fields))
    return newline.join(lines) + newline


write("excel-en-us.csv", "\ufeff" + sheet(",", ".", "TRUE", "FALSE", "%m/%d/%Y", "%m/%d/%Y %H:%M:%S"))
write("excel-de-de.csv", sheet(";", ",", "WAHR", "FALSCH", "%d.%m.%Y", "%d.%m.%Y %H:%M:%S"), "windows-1252")
write("excel-fr-fr.txt", "\ufeff" + sheet("\t", ",", "VRAI", "FAUX", "%d/%m/%Y", "%d/%m/%Y %H:%M:%S"), "utf-16-le")


# MySQL: SELECT ... INTO OUTFILE with its defaults; fields of tabs, escapes by backslashes, \N.
def mysql(value):
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value).replace("\\", "\\\\").replace("\t", "\\\t").replace("\n", "\\\n").replace("\0", "\\0")


write("mysql-outfile.txt", "".join(
    "\t".join(mysql(value) for value in row[:8] + (None if row[8] is None else json.dumps(row[8]),
                                                    None if row[9] is None else compact(row[9]))) + "\n"
    for row in ROWS))


# ClickHouse: TabSeparated and JSONEachRow.
def clickhouse(value):
    if value is None:
        return "\\N"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("'", "\\'")


write("clickhouse.tsv", "\t".join(NAMES[:8]) + "\n" + "".join(
    "\t".join(clickhouse(value) for value in row[:8]) + "\n" for row in ROWS))
write("clickhouse.jsonl", "".join(json.dumps({
    "id": str(row[0]), "name": row[1], "price": None if row[2] is None else float(row[2]), "ratio": row[3],
    "paid": row[4], "day": None if row[5] is None else str(row[5]), "seen": None if row[6] is None else str(row[6]),
    "note": row[7], "tags": row[8], "doc": row[9]}, ensure_ascii=False, separators=(",", ":")) + "\n" for row in ROWS))


# Spark's CSV: quotes inside quotes are escaped by a backslash, an empty text is "", NULL is nothing.
def spark(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, T):
        return value.isoformat(timespec="milliseconds") + "Z"
    text = str(value)
    if text == "":
        return '""'
    if any(c in ',"\n' for c in text):
        return '"' + text.replace('"', '\\"') + '"'
    return text


write("spark.csv", ",".join(NAMES[:8]) + "\n" + "".join(
    ",".join(spark(value) for value in row[:8]) + "\n" for row in ROWS))


# mongoexport: relaxed extended JSON, and numbers of 64 bits and decimals in objects.
def mongo(row):
    members = {"_id": {"$oid": "65e0%020d" % row[0]}, "id": {"$numberLong": str(row[0])}}
    if row[1] is not None:
        members.update({
            "name": row[1], "price": {"$numberDecimal": str(row[2])}, "ratio": row[3], "paid": row[4],
            "day": str(row[5]), "seen": {"$date": row[6].isoformat(timespec="milliseconds") + "Z"}, "note": row[7],
            "tags": row[8], "doc": row[9]})
    return json.dumps(members, ensure_ascii=False)


write("mongodb.jsonl", "".join(mongo(row) + "\n" for row in ROWS))

if len(sys.argv) > 2:
    programs = pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as data:
        def run(*command, **more):
            return subprocess.run([str(c) for c in command], check=True, capture_output=True, **more).stdout

        def literal(value, kind=""):
            if value is None:
                return "NULL"
            return "'" + str(value).replace("'", "''") + "'" + kind

        as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        if as_user:
            os.chmod(data, 0o777)
        run(*as_user, programs / "initdb", "-D", data + "/db", "-E", "UTF8", "--locale=C.UTF-8", "-A", "trust")
        run(*as_user, programs / "pg_ctl", "-D", data + "/db", "-w", "-o", f"-k {data} -h ''", "-l", data + "/log", "start")
        try:
            sql = ("CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT, price NUMERIC(10,2), ratio DOUBLE PRECISION,"
                   " paid BOOLEAN, day DATE, seen TIMESTAMP, note TEXT, tags TEXT[], doc JSONB);\n")
            for row in ROWS:
                sql += ("INSERT INTO t VALUES (" + ", ".join(literal(value) for value in row[:8]) + ", "
                        + literal(None if row[8] is None else array(row[8])) + ", "
                        + literal(None if row[9] is None else compact(row[9])) + ");\n")
            psql = [*as_user, programs / "psql", "-q", "-X", "-h", data, "-d", "postgres", "-v", "ON_ERROR_STOP=1"]
            run(*psql, input=sql.encode())
            for name, options in (("postgres.txt", "FORMAT text"), ("postgres.csv", "FORMAT csv, HEADER"),
                                  ("postgres.bin", "FORMAT binary")):
                (out / name).write_bytes(run(*psql, "-c", f"COPY t TO STDOUT ({options})"))
        finally:
            run(*as_user, programs / "pg_ctl", "-D", data + "/db", "-m", "fast", "stop")
