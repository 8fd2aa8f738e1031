"""Client of the Sluice import service: imports, tables and queries over its REST API."""

from .client import Client, Column, Result
from .errors import ImportFailed, ServiceError, SluiceError, StatementError

__all__ = ["Client", "Column", "ImportFailed", "Result", "ServiceError", "SluiceError", "StatementError"]
