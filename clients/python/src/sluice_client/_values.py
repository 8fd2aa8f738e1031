"""Values of columns: from the service's text forms to Python, and the Arrow types of columns."""

import datetime
import re
import uuid
from decimal import Decimal
from typing import Any, Callable, Dict

_FRACTION = re.compile(r"\.(\d+)")


def _six_digits(text: str) -> str:
    # Before Python 3.11, fromisoformat() takes three or six digits only.
    return _FRACTION.sub(lambda digits: "." + digits.group(1).ljust(6, "0"), text)


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def _bool(text: str) -> bool:
    return text == "true"


def _timestamp(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(_six_digits(text))


def _timestamptz(text: str) -> datetime.datetime:
    if not text.endswith("+00"):
        raise ValueError(text)
    return _timestamp(text[:-3]).replace(tzinfo=datetime.timezone.utc)


def _time(text: str) -> datetime.time:
    return datetime.time.fromisoformat(_six_digits(text))


_PARSERS: Dict[str, Callable[[str], Any]] = {
    "BOOL": _bool,
    "INT2": int,
    "INT4": int,
    "INT8": int,
    "FLOAT4": float,
    "FLOAT8": float,
    "DECIMAL": Decimal,
    "STRING": str,
    "BYTES": _bytes,
    "DATE": datetime.date.fromisoformat,
    "TIME": _time,
    "TIMESTAMP": _timestamp,
    "TIMESTAMPTZ": _timestamptz,
    "UUID": uuid.UUID,
}

# Types without a Python value of their own: the service's text.
_TEXTS = ("TIMETZ", "INTERVAL", "INET", "BIT", "JSON", "ARRAY")


def parser(kind: str, strict: bool = False) -> Callable[[str], Any]:
    """Returns the parser of a column type.

    A date or time that Python cannot hold (infinity, a year before 1 or after 9999, 24:00:00) stays text; with `strict` it
    raises ValueError. Values of types that have no Python type stay text.
    """
    if kind in _TEXTS:
        return str
    parse = _PARSERS[kind]
    if strict or kind not in ("DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ"):
        return parse

    def lenient(text: str) -> Any:
        try:
            return parse(text)
        except ValueError:
            return text

    return lenient


def arrow_type(kind: str, precision: int, scale: int) -> Any:
    """Returns the Arrow type of a column type. A DECIMAL without a precision, or with over 76 digits, is a string."""
    import pyarrow

    if kind in _TEXTS:
        return pyarrow.string()
    if kind == "DECIMAL":
        if not 1 <= precision <= 76:
            return pyarrow.string()
        return pyarrow.decimal128(precision, scale) if precision <= 38 else pyarrow.decimal256(precision, scale)
    return {
        "BOOL": pyarrow.bool_(),
        "INT2": pyarrow.int16(),
        "INT4": pyarrow.int32(),
        "INT8": pyarrow.int64(),
        "FLOAT4": pyarrow.float32(),
        "FLOAT8": pyarrow.float64(),
        "STRING": pyarrow.string(),
        "BYTES": pyarrow.binary(),
        "DATE": pyarrow.date32(),
        "TIME": pyarrow.time64("us"),
        "TIMESTAMP": pyarrow.timestamp("us"),
        "TIMESTAMPTZ": pyarrow.timestamp("us", tz="UTC"),
        "UUID": pyarrow.string(),
    }[kind]


def arrow_parser(kind: str, precision: int) -> Callable[[str], Any]:
    """Returns the parser of a column type to what its Arrow type takes."""
    if kind == "UUID" or (kind == "DECIMAL" and not 1 <= precision <= 76):
        return str
    return parser(kind, strict=True)


def pandas_dtype(kind: str, nullable: bool) -> str:
    """Returns the pandas type of a column, the same for every batch. Integers with NULL stay integers."""
    if kind in ("INT2", "INT4", "INT8"):
        name = {"INT2": "int16", "INT4": "int32", "INT8": "int64"}[kind]
        return name.replace("int", "Int") if nullable else name
    if kind == "BOOL":
        return "boolean" if nullable else "bool"
    if kind in _TEXTS:
        return "string"
    return {"FLOAT4": "float32", "FLOAT8": "float64", "STRING": "string"}.get(kind, "object")
