"""Adds or removes one table of a TOML configuration, and leaves every other byte as it is.

tomlkit finds and renders the table. It also counts the comments in front of the next header as part of the table before
them, so a table is cut out of the text here, without those comments.
"""

import re
import tomllib
from collections.abc import Mapping
from itertools import takewhile
from typing import Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from citemark.model.errors import InvalidArgument

_UNSAFE = "its entry is written in a way that cannot be changed safely"


class TomlText:
    """A document whose table `servers` holds one table per server."""

    def __init__(self, text: str, servers: str) -> None:
        """Parse the document.

        Raises:
            InvalidArgument: it is malformed, or `servers` is not a table.
        """
        self._text = text
        self._key = servers
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._all = _parsed(text)
        table: object = self._all.get(servers, {})
        if not isinstance(table, dict):
            raise InvalidArgument(f"its {servers!r} is not a table")
        self._entries = cast("dict[str, Any]", table)

    def entry(self, name: str) -> object:
        """The entry with this name, or None."""
        return self._entries.get(name)

    def entries(self) -> Mapping[str, Any]:
        """All entries by their names."""
        return self._entries

    def with_entry(self, name: str, entry: Mapping[str, Any]) -> str:
        """The document with the entry added, or replaced in place."""
        rendered = tomlkit.dumps({self._key: {name: dict(entry)}}).rstrip("\n").replace("\n", self._newline)
        rendered += self._newline
        if name in self._entries:
            before, table, after = self._cut(name)
            text = before + rendered + _blank_end(table) + after
        else:
            before = self._text
            if before and not before.endswith("\n"):
                before += self._newline
            gap = self._newline if before.rpartition("\n")[0].rpartition("\n")[2].strip() else ""
            text = before + gap + rendered
        return self._checked(text, {**self._entries, name: dict(entry)})

    def without(self, name: str) -> str:
        """The document without that entry; unchanged if there is no such entry."""
        if name not in self._entries:
            return self._text
        before, _, after = self._cut(name)
        text = before + after if after else re.sub(r"(?:(?<=\n)|\A)(?:[ \t]*\r?\n)+\Z", "", before)
        return self._checked(text, {key: value for key, value in self._entries.items() if key != name})

    def _cut(self, name: str) -> tuple[str, str, str]:
        """The text before the tables of an entry, their own text, and the text after them.

        Raises:
            InvalidArgument: the entry is not written as tables that follow each other.
        """
        document = cast("dict[str, Any]", tomlkit.parse(self._text))
        del document[self._key][name]
        rest = tomlkit.dumps(document)
        length = len(self._text) - len(rest)
        # If a table begins like the one after it, the common prefix reaches into it, so the header decides.
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(self._text, rest, strict=False)))
        for start in range(common, -1, -1):
            table, after = self._text[start : start + length], self._text[start + length :]
            if self._text[:start] + after != rest:
                break
            if table.lstrip(" \t").startswith("[") and (start == 0 or self._text[start - 1] == "\n"):
                own = len(table) if not after else len(table) - len(_comment_end(table))
                return self._text[:start], table[:own], table[own:] + after
        raise InvalidArgument(_UNSAFE)

    def _checked(self, text: str, entries: Mapping[str, Any]) -> str:
        """The text, once it is certain that nothing but the entry has changed in it."""
        expected = {**self._all, self._key: dict(entries)}
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            values = None
        if values is None or {self._key: {}, **values} != expected:
            raise InvalidArgument(_UNSAFE)
        return text


def _parsed(text: str) -> dict[str, Any]:
    try:
        tomlkit.parse(text)
        return tomllib.loads(text)
    except (TOMLKitError, tomllib.TOMLDecodeError) as error:
        raise InvalidArgument(str(error)) from None


def _comment_end(text: str) -> str:
    """The comment lines at the end of a table, which belong to the table after it."""
    found = re.search(r"(?:^[ \t]*#[^\n]*\n)+\Z", text, re.MULTILINE)
    return found[0] if found else ""


def _blank_end(text: str) -> str:
    """The blank lines at the end of a table."""
    found = re.search(r"(?:^[ \t]*\r?\n)+\Z", text, re.MULTILINE)
    return found[0] if found else ""
