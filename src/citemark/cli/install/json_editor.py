"""Adds or removes one entry of a JSON configuration, and leaves every other byte as it is."""

import json
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from citemark.model.errors import InvalidArgument

_BLANK = " \t\r\n"
_DEEPEST = 100
"""The deepest nesting; far above any real configuration, and below Python's recursion limit."""


class MalformedJson(InvalidArgument):
    """The text is not JSON in the form that is expected."""

    def __init__(self, text: str, at: int, what: str) -> None:
        starts = [0, *(index + 1 for index, character in enumerate(text) if character == "\n")]
        line = bisect_right(starts, at)
        super().__init__(f"line {line}, column {at - starts[line - 1] + 1}: {what}")


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: where its key begins, and the position of the comma after it, if there is one."""

    key: str
    start: int
    value: "Node"
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value, its start and end in the text, and the members if it is an object."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] | None = None

    def member(self, key: str) -> Member | None:
        """The member with this key, or None."""
        return next((member for member in self.members or () if member.key == key), None)


def read_spans(text: str, *, comments: bool) -> Node:
    """Parse a whole document.

    Args:
        text: JSON.
        comments: whether comments and a comma before a closing bracket are allowed.

    Raises:
        MalformedJson: it is not JSON, or an object has the same key twice.
    """
    return _JsonReader(text, comments=comments).document()


class _JsonReader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text = text
        self._comments = comments
        self._scalars = json.JSONDecoder(parse_constant=self._refuse_constant)

    def document(self) -> Node:
        node = self._value(self._skip(0), 0)
        end = self._skip(node.end)
        if end != len(self._text):
            raise MalformedJson(self._text, end, "there is more after the end")
        return node

    def _value(self, position: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise MalformedJson(self._text, position, "it is nested too deep")
        match self._text[position : position + 1]:
            case "{":
                return self._object(position, depth)
            case "[":
                return self._array(position, depth)
            case _:
                value, end = self._scalar(position)
                return Node(position, end, value)

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        position = self._skip(start + 1)
        while self._text[position : position + 1] != "}":
            if members and members[-1].comma is None:
                raise MalformedJson(self._text, position, "a comma or a closing brace is missing")
            if self._text[position : position + 1] != '"':
                raise MalformedJson(self._text, position, "a key in double quotes is missing")
            key, end = self._scalar(position)
            if any(member.key == key for member in members):
                raise MalformedJson(self._text, position, f"the key {key!r} occurs twice")
            colon = self._skip(end)
            if self._text[colon : colon + 1] != ":":
                raise MalformedJson(self._text, colon, "a colon is missing")
            value = self._value(self._skip(colon + 1), depth + 1)
            comma, after = self._comma(value.end)
            members.append(Member(key, position, value, comma))
            position = after
        self._check_last(members[-1].comma if members else None)
        plain = {member.key: member.value.value for member in members}
        return Node(start, position + 1, plain, tuple(members))

    def _array(self, start: int, depth: int) -> Node:
        items: list[Any] = []
        comma: int | None = start
        position = self._skip(start + 1)
        while self._text[position : position + 1] != "]":
            if comma is None:
                raise MalformedJson(self._text, position, "a comma or a closing bracket is missing")
            node = self._value(position, depth + 1)
            items.append(node.value)
            comma, position = self._comma(node.end)
        self._check_last(comma if items else None)
        return Node(start, position + 1, items)

    def _comma(self, end: int) -> tuple[int | None, int]:
        """The position of the comma after a value, or None without one; and the position of the next token."""
        position = self._skip(end)
        if self._text[position : position + 1] == ",":
            return position, self._skip(position + 1)
        return None, position

    def _check_last(self, comma: int | None) -> None:
        if comma is not None and not self._comments:
            raise MalformedJson(self._text, comma, "there is a comma after the last one")

    def _scalar(self, position: int) -> tuple[Any, int]:
        try:
            return self._scalars.raw_decode(self._text, position)
        except json.JSONDecodeError as error:
            raise MalformedJson(self._text, error.pos, f"this is not JSON ({error.msg.lower()})") from None

    def _skip(self, position: int) -> int:
        """The position after blanks and, if they are allowed, comments."""
        text = self._text
        while True:
            while position < len(text) and text[position] in _BLANK:
                position += 1
            if not self._comments or text[position : position + 2] not in {"//", "/*"}:
                return position
            stop = "\n" if text[position + 1] == "/" else "*/"
            end = text.find(stop, position + 2)
            if end < 0 and stop == "*/":
                raise MalformedJson(text, position, "this comment does not end")
            position = len(text) if end < 0 else end + len(stop)

    def _refuse_constant(self, name: str) -> Any:
        raise MalformedJson(self._text, max(0, self._text.find(name)), f"JSON has no {name}")


_UNIT = "  "


class JsonText:
    """A document whose member `servers` holds an object of entries by name; `a/b` is the member b of the member a."""

    def __init__(self, text: str, servers: str, *, comments: bool) -> None:
        """Parse the document.

        Raises:
            InvalidArgument: it is malformed, or its members are not what such a configuration has.
        """
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._text = text if text.strip() else "{}" + self._newline
        self._comments = comments
        self._path = servers.split("/")
        self._root = read_spans(self._text, comments=comments)
        if self._root.members is None:
            raise InvalidArgument("it holds something other than an object")
        self._above = [self._root]
        for key in self._path:
            member = self._above[-1].member(key)
            if member is None:
                break
            if member.value.members is None:
                raise InvalidArgument(f"its {key!r} is not an object")
            self._above.append(member.value)
        self._servers = self._above[-1] if len(self._above) > len(self._path) else None

    def entry(self, name: str) -> object:
        """The entry with this name, or None."""
        member = None if self._servers is None else self._servers.member(name)
        return None if member is None else member.value.value

    def entries(self) -> Mapping[str, Any]:
        """All entries by their names."""
        return {} if self._servers is None else cast("dict[str, Any]", self._servers.value)

    def with_entry(self, name: str, entry: Mapping[str, Any]) -> str:
        """The document with the entry added, or replaced in place."""
        if self._servers is None:
            key, *further = self._path[len(self._above) - 1 :]
            value: dict[str, Any] = {name: dict(entry)}
            for each in reversed(further):
                value = {each: value}
            text = self._inserted(self._above[-1], key, value)
        elif (member := self._servers.member(name)) is not None:
            text = self._replaced(member.value, entry, self._indent(member.start))
        else:
            text = self._inserted(self._servers, name, entry)
        return self._checked(text, {**self.entries(), name: dict(entry)})

    def without(self, name: str) -> str:
        """The document without that entry; unchanged if there is no such entry."""
        member = None if self._servers is None else self._servers.member(name)
        if self._servers is None or member is None:
            return self._text
        remaining = {key: value for key, value in self.entries().items() if key != name}
        return self._checked(self._removed(self._servers, member), remaining)

    def _checked(self, text: str, entries: Mapping[str, Any]) -> str:
        """The text, once it is certain that nothing but the entry has changed in it."""
        expected: dict[str, Any] = dict(entries)
        for depth in range(len(self._path) - 1, -1, -1):
            outer: dict[str, Any] = self._above[depth].value if depth < len(self._above) else {}
            expected = {**outer, self._path[depth]: expected}
        if read_spans(text, comments=self._comments).value != expected:
            raise InvalidArgument("it is written in a way that cannot be changed safely")
        return text

    def _inserted(self, parent: Node, key: str, value: Mapping[str, Any]) -> str:
        """Add a member after the comments that follow the previous one, on its own line if the object has lines."""
        text, members = self._text, parent.members or ()
        close = parent.end - 1
        end = len(text[:close].rstrip())
        spread = "\n" in text[parent.start : close] or (not members and (self._spread or parent is self._root))
        indent = self._indent(members[0].start) if members else self._indent(close) + self._unit()
        rendered = f"{json.dumps(key)}: {self._rendered(value, indent if spread else None)}"
        before, trailing = text[:end], ""
        if members and members[-1].comma is None:
            last = members[-1].value.end
            before = text[:last] + "," + text[last:end]
        elif members:
            trailing = ","
        blanks = text[end:close]
        if not spread:
            return f"{before}{' ' if members else ''}{rendered}{trailing}{blanks}{text[close:]}"
        if "\n" not in blanks:
            blanks = self._newline + self._indent(close)
        return f"{before}{self._newline}{indent}{rendered}{trailing}{blanks}{text[close:]}"

    def _replaced(self, node: Node, value: Mapping[str, Any], indent: str) -> str:
        rendered = self._rendered(value, indent if self._spread else None)
        return self._text[: node.start] + rendered + self._text[node.end :]

    def _removed(self, parent: Node, member: Member) -> str:
        text, members = self._text, parent.members or ()
        index = members.index(member)
        start, end = member.start, member.value.end if member.comma is None else member.comma + 1
        if member.comma is None and index > 0:
            # The comma before it is removed too, but not what is between the comma and the member: it may be a comment.
            comma = members[index - 1].comma
            if comma is not None:
                text = text[:comma] + text[comma + 1 :]
                start, end = start - 1, end - 1
        line = text.rfind("\n", 0, start) + 1
        rest = text.find("\n", end)
        if not text[line:start].strip() and rest >= 0 and not text[end:rest].strip():
            start, end = line, rest + 1
        elif member.comma is not None:
            end += len(text[end:]) - len(text[end:].lstrip(" \t"))
        elif text[:start].endswith(" ") and index > 0:
            start -= 1
        return text[:start] + text[end:]

    def _rendered(self, value: Mapping[str, Any], indent: str | None) -> str:
        if indent is None:
            return json.dumps(value, ensure_ascii=False)
        return json.dumps(value, ensure_ascii=False, indent=self._unit()).replace("\n", self._newline + indent)

    @property
    def _spread(self) -> bool:
        """Whether the document is spread over several lines."""
        return "\n" in self._text[self._root.start : self._root.end]

    def _unit(self) -> str:
        """One step of indentation, taken from the first member of the document."""
        members = self._root.members
        return (self._indent(members[0].start) if members else "") or _UNIT

    def _indent(self, position: int) -> str:
        """The blanks at the beginning of the line that contains a position."""
        line = self._text[self._text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip())]
