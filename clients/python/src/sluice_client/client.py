"""The client."""

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple
from urllib.parse import quote, urlencode

from . import _values
from ._http import Http
from .errors import ImportFailed, ServiceError, SluiceError, StatementError

FINAL_STATES = ("succeeded", "succeeded_with_rejects", "failed", "cancelled")
BATCH_ROWS = 10_000
# Longer than a service takes to restart, or another one to take over from it.
PATIENCE_SECONDS = 120
TRIES = 5
FIRST_WAIT_SECONDS = 0.5
# 0.5 s * 2^4 = 8 s is the longest wait.
MOST_DOUBLINGS = 4


@dataclass(frozen=True)
class Column:
    """A column of a table; `kind` is its type's name, such as INT8 or TIMESTAMPTZ."""

    name: str
    kind: str
    precision: int
    scale: int
    nullable: bool
    hidden: bool


@dataclass(frozen=True)
class Result:
    """The result of a statement: `columns` and `rows` of a query, or the `count` of rows that a change affected."""

    columns: Tuple[str, ...]
    rows: List[Tuple[Any, ...]]
    count: Optional[int]

    def to_pandas(self) -> Any:
        """Returns the rows as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame.from_records(self.rows, columns=list(self.columns))


class Client:
    """A connection to an import service. Thread-safe. It keeps nothing open between requests.

    `trust` is a PEM file of certificates to trust instead of the system's; `timeout` the seconds that the service may be
    silent.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        token: Optional[str] = None,
        trust: Optional[str] = None,
        timeout: float = 60,
    ) -> None:
        self._http = Http(url, token, trust, timeout)

    # Imports

    def submit(self, schema: str, inputs: Sequence[str], **options: Any) -> str:
        """Creates an import and returns its id, when it is durable and in the queue.

        `schema` is DDL, `inputs` are files, directories, globs and addresses below the roots that the service allows.
        `options` are the other members of ImportSpec: jobId, table, format, mode, append, maxRejects, labels and so on.
        The request is sent up to five times while the service is busy, or another one takes over from it.
        """
        spec = dict(options, schema=schema, inputs=[str(each) for each in inputs])
        # A lost answer is asked for again, and creates no second import.
        key = {"Idempotency-Key": str(uuid.uuid4())}
        return str(self._post("/v1/imports", spec, key)["jobId"])

    def _post(self, path: str, body: Any = None, headers: Optional[Dict[str, str]] = None) -> Any:
        """Sends a request that does nothing twice, up to five times."""
        tries = 0
        while True:
            try:
                return self._http.json("POST", path, body, headers)
            except SluiceError as error:
                absent = tries == 0 and isinstance(error.__cause__, ConnectionRefusedError)
                refused = isinstance(error, ServiceError) and not error.busy
                tries += 1
                if absent or refused or tries == TRIES:
                    raise
            time.sleep(FIRST_WAIT_SECONDS * 2**tries)

    def get_import(self, job_id: str) -> Dict[str, Any]:
        """Returns an import as the service reports it now."""
        return dict(self._http.json("GET", f"/v1/imports/{quote(job_id, safe='')}"))

    def watch(self, job_id: str) -> Iterator[Dict[str, Any]]:
        """Yields the import whenever it changes, at most twice a second; the last one is final.

        Goes on while the service is busy or does not respond, for two minutes at most.
        """
        path = f"/v1/imports/{quote(job_id, safe='')}/events"
        heard = time.monotonic()
        failures = 0
        last: Optional[Dict[str, Any]] = None
        while True:
            try:
                if failures > 0:
                    time.sleep(FIRST_WAIT_SECONDS * 2 ** min(MOST_DOUBLINGS, failures - 1))
                    # The service may have no place for another watcher.
                    job = self.get_import(job_id)
                    heard = time.monotonic()
                    if job != last:
                        yield job
                    last = job
                    if job.get("state") in FINAL_STATES:
                        return
                for line in self._http.lines(path):
                    heard = time.monotonic()
                    if line.startswith(b"data: {"):
                        failures = 0
                        job = json.loads(line[len(b"data: ") :])
                        yield job
                        last = job
                        if job.get("state") in FINAL_STATES:
                            return
            except SluiceError as error:
                refused = isinstance(error, ServiceError) and not error.busy
                if refused or time.monotonic() - heard > PATIENCE_SECONDS:
                    raise
            failures += 1

    def wait(self, job_id: str) -> Dict[str, Any]:
        """Waits until an import is final and returns it. Raises ImportFailed if it failed or was cancelled."""
        job: Dict[str, Any] = {}
        for job in self.watch(job_id):
            pass
        if job["state"] in ("failed", "cancelled"):
            raise ImportFailed(job)
        return job

    def pause(self, job_id: str) -> Dict[str, Any]:
        """Pauses an import."""
        return self._act(job_id, "pause")

    def resume(self, job_id: str) -> Dict[str, Any]:
        """Puts a paused import back in the queue."""
        return self._act(job_id, "resume")

    def cancel(self, job_id: str) -> Dict[str, Any]:
        """Undoes an import."""
        return self._act(job_id, "cancel")

    def _act(self, job_id: str, action: str) -> Dict[str, Any]:
        return dict(self._post(f"/v1/imports/{quote(job_id, safe='')}:{action}"))

    # Tables

    def tables(self) -> List[str]:
        """Returns the names of all readable tables."""
        return [each["table"]["def"]["name"] for each in self._http.json("GET", "/v1/tables")]

    def columns(self, table: str) -> List[Column]:
        """Returns the columns of a table, without hidden ones."""
        return [column for column in self._all_columns(table) if not column.hidden]

    def _all_columns(self, table: str) -> List[Column]:
        body = self._http.json("GET", _table_path(table))
        return [
            Column(
                each["name"],
                each["type"]["kind"],
                each["type"]["precision"],
                each["type"]["scale"],
                each["nullable"],
                each["hidden"],
            )
            for each in body["table"]["def"]["columns"]
        ]

    def count(self, table: str) -> int:
        """Returns the number of rows of a table."""
        return int(self._http.json("GET", _table_path(table))["rows"])

    def rows(self, table: str, columns: Optional[Sequence[str]] = None, **bounds: Any) -> Iterator[Tuple[Any, ...]]:
        """Streams the rows of a table as tuples, in the order of an index.

        `bounds`: `index`, the index's name; `start`, `stop`, lists of values of its first columns, the second exclusive;
        `limit`, a number of rows. Closing the generator ends the stream.
        """
        chosen, positions = self._chosen(table, columns)
        parsers = [_values.parser(column.kind) for column in chosen]
        for row in self._texts(table, bounds):
            yield _parsed(row, positions, parsers)

    def batches(
        self, table: str, columns: Optional[Sequence[str]] = None, size: int = BATCH_ROWS, **bounds: Any
    ) -> Iterator[List[Tuple[Any, ...]]]:
        """Streams the rows as lists of at most `size`."""
        return _batched(self.rows(table, columns, **bounds), size)

    def dataframes(
        self, table: str, columns: Optional[Sequence[str]] = None, size: int = BATCH_ROWS, **bounds: Any
    ) -> Iterator[Any]:
        """Streams the rows as pandas DataFrames of at most `size` rows each. An empty table gives one without rows."""
        import pandas

        chosen = self._chosen(table, columns)[0]
        dtypes = [_values.pandas_dtype(column.kind, column.nullable) for column in chosen]

        def frame(batch: List[Tuple[Any, ...]]) -> Any:
            return pandas.DataFrame(
                {
                    column.name: pandas.Series([row[i] for row in batch], dtype=dtype)
                    for i, (column, dtype) in enumerate(zip(chosen, dtypes))
                }
            )

        none = True
        for batch in self.batches(table, columns, size, **bounds):
            none = False
            yield frame(batch)
        if none:
            yield frame([])

    def to_pandas(self, table: str, columns: Optional[Sequence[str]] = None, **bounds: Any) -> Any:
        """Returns the rows as one pandas DataFrame, which is in memory as a whole."""
        import pandas

        return pandas.concat(list(self.dataframes(table, columns, **bounds)), ignore_index=True)

    def arrow_batches(
        self, table: str, columns: Optional[Sequence[str]] = None, size: int = BATCH_ROWS, **bounds: Any
    ) -> Any:
        """Streams the rows as Arrow, in batches of at most `size` rows: a pyarrow.RecordBatchReader.

        Raises ValueError at a date or time that Python cannot hold, such as infinity.
        """
        import pyarrow

        chosen, positions = self._chosen(table, columns)
        schema = pyarrow.schema(
            [
                pyarrow.field(each.name, _values.arrow_type(each.kind, each.precision, each.scale), each.nullable)
                for each in chosen
            ]
        )
        parsers = [_values.arrow_parser(each.kind, each.precision) for each in chosen]

        def generate() -> Iterator[Any]:
            rows = (_parsed(row, positions, parsers) for row in self._texts(table, bounds))
            for batch in _batched(rows, size):
                arrays = [
                    pyarrow.array([row[i] for row in batch], type=field.type) for i, field in enumerate(schema)
                ]
                yield pyarrow.RecordBatch.from_arrays(arrays, schema=schema)

        return pyarrow.RecordBatchReader.from_batches(schema, generate())

    def _chosen(self, table: str, names: Optional[Sequence[str]]) -> Tuple[List[Column], List[int]]:
        every = self._all_columns(table)
        if names is None:
            positions = [i for i, column in enumerate(every) if not column.hidden]
        else:
            known = {column.name: i for i, column in enumerate(every)}
            missing = [name for name in names if name not in known]
            if missing:
                raise ValueError(f"table {table} has no column {missing[0]}; it has {', '.join(known)}")
            positions = [known[name] for name in names]
        return [every[i] for i in positions], positions

    def _texts(self, table: str, bounds: Dict[str, Any]) -> Iterator[List[Optional[str]]]:
        unknown = set(bounds) - {"index", "start", "stop", "limit"}
        if unknown:
            raise TypeError(f"unknown argument {sorted(unknown)[0]}; known are index, start, stop and limit")
        query: List[Tuple[str, str]] = []
        if bounds.get("index") is not None:
            query.append(("index", bounds["index"]))
        for name, parameter in (("start", "fromJson"), ("stop", "toJson")):
            if bounds.get(name):
                values = [None if value is None else _text(value) for value in bounds[name]]
                query.append((parameter, json.dumps(values)))
        if bounds.get("limit") is not None:
            query.append(("limit", str(int(bounds["limit"]))))
        path = _table_path(table) + "/rows" + ("?" + urlencode(query) if query else "")
        for line in self._http.lines(path):
            yield json.loads(line)

    # Statements

    def sql(self, statement: str, parameters: Sequence[Any] = (), types_of: Optional[str] = None) -> Result:
        """Executes one statement, with a parameter for each question mark, and returns its result, which is in memory.

        The values of a query are texts; with `types_of`, the name of a table, columns with the names of its columns have
        its types. Raises StatementError if the statement is refused.
        """
        results = self._http.json("POST", "/v1/sql", _statement(statement, parameters))["results"]
        result = results[-1] if results else {}
        if "error" in result:
            raise StatementError(result["error"]["code"], result["error"]["message"])
        names = tuple(result.get("columns", ()))
        kinds = {} if types_of is None else {column.name: column.kind for column in self._all_columns(types_of)}
        parsers = [_values.parser(kinds.get(name, "STRING")) for name in names]
        rows = [_parsed(row, range(len(names)), parsers) for row in result.get("rows", ())]
        return Result(names, rows, result.get("count"))


    def query(
        self, statement: str, parameters: Sequence[Any] = (), types_of: Optional[str] = None
    ) -> Iterator[Tuple[Any, ...]]:
        """Executes one query and streams its rows while the service finds them; closing the generator ends the query.

        Values and errors are those of `sql`. Rows may come before the query fails.
        """
        kinds = {} if types_of is None else {column.name: column.kind for column in self._all_columns(types_of)}
        parsers: List[Callable[[str], Any]] = []
        for line in self._http.lines("/v1/sql", _statement(statement, parameters)):
            value = json.loads(line)
            if isinstance(value, list):
                yield _parsed(value, range(len(value)), parsers)
            elif "columns" in value:
                parsers = [_values.parser(kinds.get(name, "STRING")) for name in value["columns"]]
            elif "error" in value:
                raise StatementError(value["error"]["code"], value["error"]["message"])


def _statement(statement: str, parameters: Sequence[Any]) -> Dict[str, Any]:
    body: Dict[str, Any] = {"statements": [statement]}
    if parameters:
        body["parameters"] = [[None if value is None else _text(value) for value in parameters]]
    return body


def _table_path(table: str) -> str:
    return f"/v1/tables/{quote(table, safe='')}"


def _text(value: Any) -> str:
    """The text form of a Python value, as the service's parsers take it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (bytes, bytearray)):
        return "\\x" + value.hex()
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=_text)
    return str(value)


def _parsed(
    row: Sequence[Optional[str]], positions: Iterable[int], parsers: Sequence[Callable[[str], Any]]
) -> Tuple[Any, ...]:
    values = []
    for position, parse in zip(positions, parsers):
        text = row[position]
        values.append(None if text is None else parse(text))
    return tuple(values)


def _batched(rows: Iterator[Tuple[Any, ...]], size: int) -> Iterator[List[Tuple[Any, ...]]]:
    if size < 1:
        raise ValueError(f"size {size}: must be at least 1")
    batch: List[Tuple[Any, ...]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
