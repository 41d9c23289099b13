"""Arrays as parameters, written as PostgreSQL writes them.

Psycopg adapts elements one by one, which took a tenth of the processor time of a first load.
"""

from collections.abc import Iterable


def numbers(values: Iterable[int]) -> str:
    """An array of integers."""
    return "{" + ",".join(map(str, values)) + "}"


def texts(values: Iterable[str | None]) -> str:
    """An array of texts."""
    return "{" + ",".join("NULL" if value is None else _quoted(value) for value in values) + "}"


def byte_strings(values: Iterable[bytes]) -> str:
    """An array of byte strings."""
    return "{" + ",".join(f'"\\\\x{value.hex()}"' for value in values) + "}"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
