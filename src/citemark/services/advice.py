"""Advice that fits its reader: commands are of use only to whoever has the command line of this server."""

import re
from dataclasses import replace
from typing import TypeVar

from citemark.model.scope import Principal
from citemark.services.empty import EmptyResult

Advised = TypeVar("Advised", EmptyResult, EmptyResult | None)

_COMMAND = re.compile(r"`citemark [^`]*`")
_BETWEEN_CLAUSES = re.compile(r"(; |: |(?<=[.!?]) )")
_WHOM_TO_ASK = "whoever runs this server can help"


def has_commands(principal: Principal | None) -> bool:
    """Whether a reader has the command line: the person whose machine it is; None is somebody unknown."""
    return principal is not None and principal.key == Principal.local().key


def for_reader(text: str, reader: Principal | None) -> str:
    """A message of ours; for a reader without the command line, it says whom to ask in place of what to run."""
    return text if has_commands(reader) or _COMMAND.search(text) is None else _without_commands(text)


def empty_for_reader(empty: Advised, reader: Principal) -> Advised:
    """Why a result is empty, with advice that the reader can follow."""
    if empty is None:
        return empty
    return replace(empty, message=for_reader(empty.message, reader), next_step=for_reader(empty.next_step, reader))


def _without_commands(text: str) -> str:
    """The text with the first clause that names a command replaced, and without further ones."""
    kept: list[str] = []
    told = False
    parts = ["", *_BETWEEN_CLAUSES.split(text)]  # each clause behind what separates it from the one before
    for separator, clause in zip(parts[::2], parts[1::2], strict=True):
        if _COMMAND.search(clause) is None:
            kept += [separator, clause]
            continue
        end = "." if clause.endswith(".") else ""
        if told:
            kept += [end] if end and not "".join(kept).endswith(".") else []
            continue
        told = True
        begins = separator in {"", " "}
        kept += [separator, _WHOM_TO_ASK.capitalize() if begins else _WHOM_TO_ASK, end]
    return "".join(kept)
