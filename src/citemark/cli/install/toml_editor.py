"""One table of a TOML configuration, put in or taken out with every other byte left as it is."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, cast

from citemark.model.errors import InvalidArgument

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"[ \t]*\[(?!\[)(?P<path>.*)\][ \t]*(?:#.*)?$")
_ANY_HEADER = re.compile(r"[ \t]*\[")


@dataclass(frozen=True, slots=True)
class _Table:
    """A header and all lines up to the next: line numbers, and the dotted path (None for an array of tables)."""

    start: int
    end: int
    path: tuple[str, ...] | None


class TomlText:
    """A document whose table `servers` holds tables of entries by name."""

    def __init__(self, text: str, servers: str) -> None:
        """Read it.

        Raises:
            InvalidArgument: it is malformed, or `servers` is no table.
        """
        self._text = text
        self._key = servers
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._all = _parsed(text)
        found: object = self._all.get(servers, {})
        if not isinstance(found, dict):
            raise InvalidArgument(f"its {servers!r} is no table")
        self._entries = cast("dict[str, Any]", found)

    def entry(self, name: str) -> object:
        """The entry of a name, None when there is none."""
        return self._entries.get(name)

    def with_entry(self, name: str, entry: Mapping[str, Any]) -> str:
        """The document with the entry in it, in place of one of the same name."""
        lines = _lines(self._text)
        shown = [line + self._newline for line in _rendered((self._key, name), entry)]
        ours = self._tables_of(name, lines)
        if ours:
            shown += _blank_tail(lines[ours[0].start : ours[0].end])
            at = ours[0].start
            lines = [line for number, line in enumerate(lines) if not _inside(number, ours)]
        else:
            at = len(lines)
            if lines and not lines[-1].endswith("\n"):
                lines[-1] += self._newline
            if lines and lines[-1].strip():
                shown.insert(0, self._newline)
        text = "".join([*lines[:at], *shown, *lines[at:]])
        return self._checked(text, {**self._entries, name: dict(entry)})

    def without(self, name: str) -> str:
        """The document without that entry; as it is when there is none."""
        if name not in self._entries:
            return self._text
        lines = _lines(self._text)
        ours = self._tables_of(name, lines)
        left = [line for number, line in enumerate(lines) if not _inside(number, ours)]
        if ours and ours[-1].end == len(lines):
            while left and not left[-1].strip():
                left.pop()
        return self._checked("".join(left), {key: value for key, value in self._entries.items() if key != name})

    def _tables_of(self, name: str, lines: list[str]) -> list[_Table]:
        path = (self._key, name)
        return [table for table in _tables(lines) if table.path is not None and table.path[:2] == path]

    def _checked(self, text: str, entries: Mapping[str, Any]) -> str:
        """The text, once it is certain that it says what it is to say and nothing else."""
        expected = {**self._all, self._key: dict(entries)}
        try:
            found = _parsed(text)
        except InvalidArgument:
            found = None
        if found is None or {self._key: {}, **found} != expected:
            raise InvalidArgument("its entry is written in a way that cannot be changed safely")
        return text


def _lines(text: str) -> list[str]:
    """Lines with their ends; of all that Python takes for one, TOML knows only the line feed."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidArgument(str(error)) from None


def _tables(lines: list[str]) -> Iterator[_Table]:
    """The tables with a header, in order. Each ends before the comments that lead up to the next header."""
    heads = [(number, lines[number]) for number in _structural(lines) if _ANY_HEADER.match(lines[number])]
    for place, (start, line) in enumerate(heads):
        end = heads[place + 1][0] if place + 1 < len(heads) else len(lines)
        if place + 1 < len(heads):
            while end > start + 1 and lines[end - 1].lstrip().startswith("#"):
                end -= 1
        match = _HEADER.match(line.rstrip("\r\n"))
        yield _Table(start, end, None if match is None else _path(match["path"]))


def _structural(lines: list[str]) -> Iterator[int]:
    """Numbers of the lines that begin outside of every string and bracket."""
    inside, depth = "", 0
    for number, line in enumerate(lines):
        if not inside and not depth:
            yield number
            if _ANY_HEADER.match(line):
                continue
        inside, depth = _after(line, inside, depth)


def _after(line: str, inside: str, depth: int) -> tuple[str, int]:
    """The multi-line string and the depth of brackets at the end of a line that begins in such."""
    at = 0
    while at < len(line):
        if inside:
            if line[at] == "\\" and inside[0] == '"':
                at += 2
                continue
            if line.startswith(inside, at):
                at += len(inside)
                inside = ""
                continue
        elif line[at] == "#":
            break
        elif line[at] in "\"'":
            inside = line[at] * 3 if line.startswith(line[at] * 3, at) else line[at]
            at += len(inside)
            continue
        else:
            depth += (line[at] in "[{") - (line[at] in "]}")
        at += 1
    return (inside if len(inside) > 1 else ""), depth


def _path(text: str) -> tuple[str, ...] | None:
    """The keys of a header, read as TOML reads them."""
    found: Any = tomllib.loads(f"[{text}]")
    keys: list[str] = []
    while found:
        (key,) = found
        keys.append(key)
        found = found[key]
    return tuple(keys)


def _rendered(path: tuple[str, ...], table: Mapping[str, Any]) -> list[str]:
    """The lines of a table, its own tables after it."""
    lines, below = [f"[{'.'.join(_key(part) for part in path)}]"], list[str]()
    for key, value in table.items():
        if isinstance(value, dict) and value:
            below += ["", *_rendered((*path, key), cast("dict[str, Any]", value))]
        else:
            lines.append(f"{_key(key)} = {_value(cast('object', value))}")
    return lines + below


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value)
        case int() | float():
            return repr(value)
        case datetime() | date() | time():
            return value.isoformat()
        case list():
            return f"[{', '.join(_value(item) for item in cast('list[object]', value))}]"
        case dict():
            inner = cast("dict[str, object]", value)
            return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in inner.items()) + " }"
        case _:
            raise InvalidArgument("its entry is written in a way that cannot be changed safely")


def _string(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for the one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _inside(number: int, tables: list[_Table]) -> bool:
    return any(table.start <= number < table.end for table in tables)


def _blank_tail(lines: list[str]) -> list[str]:
    """The empty lines at the end."""
    count = 0
    while count < len(lines) and not lines[-1 - count].strip():
        count += 1
    return lines[len(lines) - count :] if count else []
