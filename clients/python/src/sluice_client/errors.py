"""The errors of the client. All are SluiceError."""

from typing import Any, Dict


class SluiceError(Exception):
    """The service cannot be reached, or stopped sending before the end."""


class ServiceError(SluiceError):
    """A problem response (RFC 9457).

    `status` is the HTTP status, `kind` the last part of the problem's type, `busy` whether a later try may succeed.
    """

    def __init__(self, status: int, kind: str, message: str, busy: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.busy = busy


class StatementError(SluiceError):
    """A SQL statement was refused; `code` is the stable code, such as `unique` or `unknown_name`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ImportFailed(SluiceError):
    """An import ended without its rows in the table; `job` is the resource, with `state` and `message`."""

    def __init__(self, job: Dict[str, Any]) -> None:
        super().__init__(f"import {job['jobId']} {job['state']}: {job.get('message', 'no message')}")
        self.job = job
