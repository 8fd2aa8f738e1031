"""HTTP of the standard library: one connection per request, problems as exceptions, streams of lines."""

import http.client
import json
import ssl
from typing import Any, Dict, Iterator, Optional
from urllib.parse import urlsplit

from .errors import ServiceError, SluiceError

# One line is a row or an event: a service sends at most some megabytes.
MOST_LINE_BYTES = 64 << 20
READ_BYTES = 64 << 10


class Http:
    """Requests to one service. Thread-safe: every request has a connection of its own."""

    def __init__(self, url: str, token: Optional[str], trust: Optional[str], timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query:
            raise ValueError(f"{url!r} is no address of a service, such as http://127.0.0.1:8080")
        self.url = url
        self.timeout = timeout
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._host, self._port = parts.hostname, parts.port
        self._tls = ssl.create_default_context(cafile=trust) if parts.scheme == "https" else None

    def _open(self) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self.timeout)
        return http.client.HTTPSConnection(self._host, self._port, timeout=self.timeout, context=self._tls)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: Any, headers: Dict[str, str]
    ) -> http.client.HTTPResponse:
        sent = dict(self._headers, **headers)
        data = None
        if body is not None:
            data = json.dumps(body).encode("utf-8")
            sent["Content-Type"] = "application/json"
        try:
            connection.request(method, path, data, sent)
            response = connection.getresponse()
            if response.status >= 300:
                raise _problem(response.status, response.read())
            return response
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(error) from error

    def json(self, method: str, path: str, body: Any = None, headers: Optional[Dict[str, str]] = None) -> Any:
        """Sends a request and returns the JSON of its response; None if that is empty."""
        connection = self._open()
        try:
            response = self._send(connection, method, path, body, headers or {})
            try:
                content = response.read()
            except (OSError, http.client.HTTPException) as error:
                raise self._failed(error) from error
            try:
                return json.loads(content) if content else None
            except ValueError as error:
                raise SluiceError(f"{self.url} answered what is no JSON; is it an import service?") from error
        finally:
            connection.close()

    def lines(self, path: str, body: Any = None) -> Iterator[bytes]:
        """Sends a GET, or a POST of a body that asks for lines, and streams the lines of the response.

        Raises SluiceError if it breaks off; closing the generator closes the connection.
        """
        connection = self._open()
        try:
            headers = {} if body is None else {"Accept": "application/x-ndjson"}
            response = self._send(connection, "GET" if body is None else "POST", path, body, headers)
            rest = b""
            while True:
                try:
                    # A broken chunked body raises here; readline() of a response could take it for the end.
                    read = response.read1(READ_BYTES)
                except (OSError, ValueError, http.client.HTTPException) as error:
                    raise self._failed(error) from error
                if not read:
                    break
                lines = (rest + read).split(b"\n")
                rest = lines.pop()
                if len(rest) > MOST_LINE_BYTES:
                    raise SluiceError(f"{self.url} sent a line of more than {MOST_LINE_BYTES} bytes")
                yield from lines
            if rest:
                yield rest
        finally:
            connection.close()

    def _failed(self, error: Exception) -> SluiceError:
        return SluiceError(f"{self.url} does not answer as it should: {type(error).__name__}: {error}")


def _problem(status: int, body: bytes) -> ServiceError:
    again = False
    try:
        problem = json.loads(body)
        again = problem.get("retryAfterMillis") is not None
        kind = str(problem.get("type", "")).rsplit(":", 1)[-1]
        message = problem.get("detail") or problem.get("title") or f"HTTP status {status}"
    except (ValueError, AttributeError):
        kind, message = "", f"HTTP status {status}: {body[:200]!r}"
    # A service is busy, or still handles the first request; or a proxy cannot reach it.
    busy = status in (502, 503, 504) or (status == 409 and again)
    return ServiceError(status, kind, message, busy)
