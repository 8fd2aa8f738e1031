"""The client against a service of its own, a process of `sluice serve`."""

import contextlib
import datetime
import json
import os
import re
import shlex
import shutil
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid
from decimal import Decimal
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from sluice_client import Client, ImportFailed, ServiceError, SluiceError, StatementError

PROJECT = Path(__file__).resolve().parents[3]
PATIENCE_SECONDS = 120
SCHEMA = (
    "CREATE TABLE every (id INT8 PRIMARY KEY, b BOOL, i INT2, n INT8, f FLOAT8, d DECIMAL(9,2), s STRING, x BYTES, day DATE,"
    " t TIME, local TIMESTAMP, utc TIMESTAMPTZ, u UUID, INDEX by_s (s));"
)
ROWS = (
    "1,true,-3,9007199254740993,0.5,1.50,\"a, \"\"b\"\"\",\\x00ff,2024-02-29,12:00:00.25,2024-01-01 00:00:00.5,"
    "2024-01-01 00:00:00+00,12345678-1234-5678-1234-567812345678\n"
    "2,,,,,,,,,,,,\n"
    "3,false,4,5,NaN,2,\"\",\\x,infinity,24:00:00,-infinity,10000-01-01 00:00:00+00,00000000-0000-0000-0000-000000000000\n"
)


class Service:
    """A service and the directory that it may read."""

    def __init__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="sluice-client-"))
        command = shlex.split(os.environ.get("SLUICE_COMMAND", str(PROJECT / "sluice")))
        out = self.directory / "out"
        with open(out, "wb") as to, open(self.directory / "err", "wb") as errors:
            self.process = subprocess.Popen(
                command
                + ["serve", "--store", str(self.directory / "store"), "--listen", "127.0.0.1:0"]
                + ["--allow-root", str(self.directory), "--allow-root", str(PROJECT / "samples")],
                stdout=to,
                stderr=errors,
            )
        end = time.monotonic() + PATIENCE_SECONDS
        while not out.read_bytes().endswith(b"\n"):
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise AssertionError((self.directory / "err").read_text())
            time.sleep(0.02)
        self.url = out.read_text().split()[1]

    def file(self, name, text):
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def close(self):
        self.process.terminate()
        code = self.process.wait(PATIENCE_SECONDS)
        shutil.rmtree(self.directory)
        if code != 0:
            raise AssertionError(f"the service ended with exit code {code}")


def setUpModule():
    global service, client
    service = Service()
    client = Client(service.url)
    client.wait(client.submit(SCHEMA, [service.file("every.csv", ROWS)]))


def tearDownModule():
    service.close()


class ImportTest(unittest.TestCase):
    def test_import_is_watched_to_its_end(self):
        job = client.submit("CREATE TABLE w (a INT8 PRIMARY KEY)", [service.file("w.csv", "1\n2\n")], labels={"by": "test"})
        states = [each["state"] for each in client.watch(job)]
        self.assertEqual("succeeded", states[-1])
        self.assertEqual(2, client.wait(job)["report"]["rowsImported"])
        self.assertEqual(2, client.count("w"))

    def test_failed_import_raises_with_its_message(self):
        job = client.submit("CREATE TABLE bad (a INT8 PRIMARY KEY)", [service.file("bad.csv", "one\n")])
        with self.assertRaises(ImportFailed) as failed:
            client.wait(job)
        self.assertIn("bad.csv", str(failed.exception))
        self.assertNotIn("bad", client.tables())

    def test_problems_have_status_and_kind(self):
        with self.assertRaises(ServiceError) as refused:
            client.submit("CREATE TABLE x (a INT8 PRIMARY KEY)", ["/nowhere/x.csv"], unknown=1)
        self.assertEqual(400, refused.exception.status)
        with self.assertRaises(ServiceError) as missing:
            client.get_import("none")
        self.assertEqual((404, "not-found"), (missing.exception.status, missing.exception.kind))


class TableTest(unittest.TestCase):
    def test_every_type_has_its_python_value(self):
        first, nulls, odd = client.rows("every")
        self.assertEqual(
            (
                1,
                True,
                -3,
                9007199254740993,
                0.5,
                Decimal("1.50"),
                'a, "b"',
                b"\x00\xff",
                datetime.date(2024, 2, 29),
                datetime.time(12, 0, 0, 250000),
                datetime.datetime(2024, 1, 1, 0, 0, 0, 500000),
                datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc),
                uuid.UUID("12345678-1234-5678-1234-567812345678"),
            ),
            first,
        )
        self.assertEqual((2,) + (None,) * 12, nulls)
        self.assertEqual(("", b"", "infinity", "24:00:00", "-infinity", "10000-01-01 00:00:00+00"), odd[6:12])

    def test_types_without_a_python_type_are_texts(self):
        ddl = (
            "CREATE TABLE texts (id INT8 PRIMARY KEY, z TIMETZ, v INTERVAL, n INET, b VARBIT, j JSONB, a INT8[], s STRING[])"
        )
        line = '1,12:00:00+02,1 day 02:00:00,10.0.0.1/8,101,"{""k"": [1, null]}","{1,NULL,3}","{a,""b c""}"\n'
        client.wait(client.submit(ddl, [service.file("texts.csv", line)]))
        texts = ("12:00:00+02", "1 day 02:00:00", "10.0.0.1/8", "101", '{"k": [1, null]}', "{1,NULL,3}", '{a,"b c"}')
        self.assertEqual([(1, *texts)], list(client.rows("texts")))
        self.assertEqual([(1, *texts)], client.sql("SELECT * FROM texts", types_of="texts").rows)
        again = client.sql(
            "INSERT INTO texts (id, j, a, s) VALUES (?, ?, ?, ?)", [2, {"k": [1, None]}, [1, None, 3], ("a", "b c")]
        )
        self.assertEqual(1, again.count)
        self.assertEqual([texts[4:]], list(client.rows("texts", ["j", "a", "s"], start=[2])))

    def test_columns_bounds_and_batches(self):
        self.assertEqual([(2,), (3,)], list(client.rows("every", ["id"], start=[2])))
        self.assertEqual([("", 3), ('a, "b"', 1)], list(client.rows("every", ["s", "id"], index="by_s", start=[""])))
        self.assertEqual([(2,)], list(client.rows("every", ["id"], index="by_s", start=[None], limit=1)))
        self.assertEqual([[(1,), (2,)], [(3,)]], list(client.batches("every", ["id"], size=2)))
        with self.assertRaisesRegex(ValueError, "has no column q; it has id, b"):
            list(client.rows("every", ["q"]))

    def test_streams_can_be_left(self):
        lines = "".join(f"{i}\n" for i in range(20_000))
        client.wait(client.submit("CREATE TABLE many (a INT8 PRIMARY KEY)", [service.file("many.csv", lines)]))
        rows = client.rows("many")
        self.assertEqual((0,), next(rows))
        rows.close()
        self.assertEqual(20_000, sum(len(batch) for batch in client.batches("many")))

    def test_names_are_encoded(self):
        client.wait(client.submit('CREATE TABLE "o/d d" ("a b" INT8 PRIMARY KEY)', [service.file("odd.csv", "7\n")]))
        self.assertEqual([(7,)], list(client.rows("o/d d")))
        self.assertEqual("a b", client.columns("o/d d")[0].name)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("this machine lacks pandas")
        frame = client.to_pandas("every", ["id", "n", "b", "s"], size=1)
        self.assertEqual(["int64", "Int64", "boolean", "string"], [str(each) for each in frame.dtypes])
        self.assertEqual(9007199254740993, frame["n"][0])
        self.assertTrue(pandas.isna(frame["n"][1]))

    def test_arrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("this machine lacks pyarrow")
        columns = ["id", "n", "d", "x", "u", "s"]
        table = client.arrow_batches("every", columns, size=2).read_all()
        self.assertEqual(pyarrow.decimal128(9, 2), table.schema.field("d").type)
        self.assertEqual([9007199254740993, None, 5], table.column("n").to_pylist())
        self.assertEqual([1, 2, 3], table.column("id").to_pylist())


class StatementTest(unittest.TestCase):
    def test_queries_changes_and_errors(self):
        client.wait(client.submit("CREATE TABLE st (a INT8 PRIMARY KEY, s STRING)", [service.file("st.csv", "1,x\n")]))
        self.assertEqual(1, client.sql("INSERT INTO st (a, s) VALUES (?, ?)", [2, "it's; \"x\""]).count)
        result = client.sql("SELECT * FROM st WHERE a = ?", [2], types_of="st")
        self.assertEqual((("a", "s"), [(2, "it's; \"x\"")]), (result.columns, result.rows))
        with self.assertRaises(StatementError) as refused:
            client.sql("INSERT INTO st (a) VALUES (2)")
        streamed = list(client.query("SELECT a, s FROM st WHERE a = ?", [2], types_of="st"))
        self.assertEqual([(2, "it's; \"x\"")], streamed)
        with self.assertRaises(StatementError) as failed:
            list(client.query("SELECT 1 / (a - a) FROM st"))
        self.assertEqual("bad_value", failed.exception.code)
        self.assertEqual("unique", refused.exception.code)


class DocumentTest(unittest.TestCase):
    def test_example_of_the_document_runs(self):
        text = (PROJECT / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")
        example = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
        example = example.replace("http://127.0.0.1:8080", service.url).replace("samples/", str(PROJECT / "samples") + "/")
        printed = subprocess.run(
            [sys.executable, "-c", example], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
        self.assertEqual("", printed.stderr)
        self.assertIn("400 rows", printed.stdout)


class QuietHandler(BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def client_of(handler):
    """A client of a server with this handler; HTTPServer would ask the network for the machine's name."""
    server = socketserver.TCPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield Client(f"http://127.0.0.1:{server.server_address[1]}")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class BrokenStreamTest(unittest.TestCase):
    def test_stream_that_breaks_off_is_no_end(self):
        class Half(QuietHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(b'5\r\n["1"]\r\n1\r\n\n\r\n')
                self.close_connection = True

        with client_of(Half) as client:
            stream = client._texts("t", {})
            self.assertEqual(["1"], next(stream))
            with self.assertRaises(SluiceError):
                next(stream)

    def test_import_is_submitted_again_while_the_service_is_busy(self):
        keys = []

        class Busy(QuietHandler):
            def do_POST(self):
                keys.append(self.headers["Idempotency-Key"])
                self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = [
                    (503, {"type": "urn:sluice:busy", "retryAfterMillis": 10}),
                    (409, {"type": "urn:sluice:in-progress", "retryAfterMillis": 10}),
                    (201, {"jobId": "j"}),
                    (409, {"type": "urn:sluice:exists", "detail": "another request"}),
                ][len(keys) - 1]
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(answer).encode())

        with client_of(Busy) as client:
            self.assertEqual("j", client.submit("CREATE TABLE t (a INT8);", ["/t.csv"]))
            self.assertEqual([keys[0]] * 3, keys)
            with self.assertRaisesRegex(ServiceError, "another request"):
                client.submit("CREATE TABLE t (a INT8);", ["/t.csv"])

    def test_import_is_watched_and_changed_while_another_service_takes_over(self):
        asked = []

        class Standby(QuietHandler):
            def answer(self, status, body):
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                asked.append(self.path)
                if len(asked) == 1:
                    self.answer(503, b'{"type": "urn:sluice:busy", "retryAfterMillis": 10}')
                elif len(asked) == 2:
                    self.answer(200, b'{"jobId": "j", "state": "running"}')
                else:
                    self.answer(200, b'event: import\ndata: {"jobId": "j", "state": "succeeded"}\n\n')

            def do_POST(self):
                asked.append(self.path)
                self.answer(503 if len(asked) == 1 else 202, b'{"jobId": "j", "state": "cancelling"}')

        with client_of(Standby) as client:
            self.assertEqual(["running", "succeeded"], [job["state"] for job in client.watch("j")])
            self.assertEqual(["/v1/imports/j/events", "/v1/imports/j", "/v1/imports/j/events"], asked)
            asked.clear()
            self.assertEqual("cancelling", client.cancel("j")["state"])

    def test_other_servers_raise_errors_of_the_client(self):
        class Other(QuietHandler):
            def do_GET(self):
                self.send_response(302 if self.path.endswith("/j") else 200)
                self.send_header("Location", "/login")
                self.end_headers()
                self.wfile.write(b"" if self.path.endswith("/j") else b"<html>")

        with client_of(Other) as client:
            with self.assertRaisesRegex(SluiceError, "is it an import service"):
                client.tables()
            with self.assertRaises(ServiceError) as redirected:
                client.get_import("j")
            self.assertEqual(302, redirected.exception.status)

    def test_silent_address_is_named(self):
        server = socketserver.TCPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
        url = f"http://127.0.0.1:{server.server_address[1]}"
        server.server_close()
        with self.assertRaisesRegex(SluiceError, re.escape(url)):
            Client(url).tables()


if __name__ == "__main__":
    unittest.main()
