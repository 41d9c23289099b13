"""Parsed JSON as values of known types: what a server or an older version wrote may be anything."""

from collections.abc import Mapping, Sequence
from typing import Any, cast


def object_in(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def array_in(value: object) -> Sequence[Any]:
    """A JSON array; an empty one for anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def text_in(value: object) -> str:
    """A JSON string without what no database keeps as text: NUL and halves of characters; "" for anything else."""
    if not isinstance(value, str):
        return ""
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def line_in(value: object) -> str:
    """A JSON string as one line."""
    return " ".join(text_in(value).split())
