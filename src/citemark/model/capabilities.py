"""The capabilities of architecture models, as 535 has them: the first part of the names their tools once had."""

import re
from collections.abc import Mapping
from typing import Any

from citemark.model.errors import InvalidArgument

ARCHIMATE = "archimate"
"""The kind of sources that are architecture models."""

DEFAULT_CAPABILITY = "architecture"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}", re.ASCII)
_TAKEN = frozenset({"kb", "graph", "nc", "legacy"})


def capability_of(kind: str, config: Mapping[str, Any]) -> str | None:
    """The capability that a source belongs to; None where it is no architecture model."""
    if kind != ARCHIMATE:
        return None
    return str(config.get("capability") or DEFAULT_CAPABILITY)


def checked_capability(name: str) -> str:
    """`name`, if tools can be named after it.

    Raises:
        InvalidArgument: hosts would refuse such a name, or another family of tools has it.
    """
    if not _NAME.fullmatch(name):
        raise InvalidArgument(
            f"{name!r} cannot begin a tool's name: take a letter, then up to 39 of letters, digits, - and _.",
            capability=name[:80],
        )
    if name.lower() in _TAKEN:
        raise InvalidArgument(f"The tools of {name!r} are others; name the capability otherwise.", capability=name)
    return name
