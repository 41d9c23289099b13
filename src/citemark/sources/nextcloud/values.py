"""Parsed JSON as values of known types: what a server or an older version wrote may be anything."""

from collections.abc import Mapping, Sequence
from typing import Any, cast


def object_in(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def array_in(value: object) -> Sequence[Any]:
    """A JSON array; an empty one for anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()
