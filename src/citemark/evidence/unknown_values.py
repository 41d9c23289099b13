"""The refusal of values that nothing has: it lists what there is, nearest first."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from heapq import nlargest
from types import MappingProxyType
from typing import Any

from citemark.model.errors import InvalidArgument
from citemark.model.scope import Limit, LimitKind

MOST_SHOWN = 20
"""How many a refusal lists."""

_LONGEST = 80
"""Characters of a value that are compared and shown."""


_NOBODY_HAS: Mapping[LimitKind, str] = MappingProxyType(
    {
        "environment": "None of your sources has the environment",
        "repository": "None of your sources has the repository",
        "source_tag": "None of your sources has the tag",
        "document_tag": "None of your documents has the tag",
        "label": "None of your documents has the label",
        "path_prefix": "None of your documents has a path that begins with",
        "capability": "No element of these models has the capability",
    }
)


_HOW_PATHS_BEGIN = " Paths begin in the folder of their source, as a document_id does; an account's among its files."


def refusal(unknown: Sequence[Limit], there: Mapping[LimitKind, Sequence[str]]) -> InvalidArgument:
    """What is said of values that nothing of the caller has; `there` are those that there are, by kind."""
    sentences: list[str] = []
    details: list[dict[str, Any]] = []
    for limit in unknown:
        values = there[limit.kind]
        near = nearest(limit.value, _folders_of(values) if limit.kind == "path_prefix" else values)
        known = f"Known, nearest first: {', '.join(map(repr, near))}." if near else "There are none."
        if limit.kind == "path_prefix":
            known += _HOW_PATHS_BEGIN
        sentences.append(f"{_NOBODY_HAS[limit.kind]} {_shown(limit.value)!r}. {known}")
        details.append({"kind": limit.kind, "value": _shown(limit.value), "nearest": near})
    return InvalidArgument(" ".join(sentences), unknown=details)


def nearest(wanted: str, known: Iterable[str], most: int = MOST_SHOWN) -> list[str]:
    """Up to `most` of the known values, nearest first, without regard to case; equally near ones by name."""
    matcher = SequenceMatcher(autojunk=False, b=wanted.casefold()[:_LONGEST])

    def nearness(value: str) -> float:
        matcher.set_seq1(value.casefold()[:_LONGEST])
        return matcher.ratio()

    return [_shown(value) for value in nlargest(most, sorted(set(known)), key=nearness)]


def _folders_of(paths: Iterable[str]) -> set[str]:
    """The paths themselves and every folder above them, each with a slash at its end."""
    found: set[str] = set()
    for path in paths:
        found.add(path)
        parts = path.split("/")[:-1]
        found.update("/".join(parts[:depth]) + "/" for depth in range(1, len(parts) + 1))
    return found


def _shown(value: str) -> str:
    """A value as a message shows it."""
    return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
