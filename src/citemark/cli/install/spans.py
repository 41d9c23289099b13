"""JSON, with comments where allowed, read so that one member can be changed and every other byte kept."""

import json
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from citemark.model.errors import InvalidArgument

_BLANK = " \t\r\n"
_DEEPEST = 100


class Malformed(InvalidArgument):
    """The text is not of its form."""

    def __init__(self, text: str, at: int, what: str) -> None:
        starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == "\n")]
        line = bisect_right(starts, at)
        super().__init__(f"line {line}, column {at - starts[line - 1] + 1}: {what}")


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object: where its key begins, and where the comma after it stands, if one does."""

    key: str
    start: int
    value: "Node"
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value, its place in the text, and the members if it is an object."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] | None = None

    def member(self, key: str) -> Member | None:
        """The member of a key."""
        return next((member for member in self.members or () if member.key == key), None)


def read_spans(text: str, *, comments: bool) -> Node:
    """The whole document.

    Args:
        text: JSON.
        comments: whether comments and a comma before a closing bracket are allowed.

    Raises:
        Malformed: it is no JSON, or an object has a key twice.
    """
    return _Reader(text, comments=comments).document()


class _Reader:
    def __init__(self, text: str, *, comments: bool) -> None:
        self._text = text
        self._comments = comments
        self._scalars = json.JSONDecoder(parse_constant=self._refuse_constant)

    def document(self) -> Node:
        node = self._value(self._skip(0), 0)
        end = self._skip(node.end)
        if end != len(self._text):
            raise Malformed(self._text, end, "there is more after the end")
        return node

    def _value(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise Malformed(self._text, at, "it is nested too deep")
        match self._text[at : at + 1]:
            case "{":
                return self._object(at, depth)
            case "[":
                return self._array(at, depth)
            case _:
                value, end = self._scalar(at)
                return Node(at, end, value)

    def _object(self, start: int, depth: int) -> Node:
        members: list[Member] = []
        at = self._skip(start + 1)
        while self._text[at : at + 1] != "}":
            if members and members[-1].comma is None:
                raise Malformed(self._text, at, "a comma or a closing brace is missing")
            if self._text[at : at + 1] != '"':
                raise Malformed(self._text, at, "a key in double quotes is missing")
            key, end = self._scalar(at)
            if any(member.key == key for member in members):
                raise Malformed(self._text, at, f"the key {key!r} is there twice")
            colon = self._skip(end)
            if self._text[colon : colon + 1] != ":":
                raise Malformed(self._text, colon, "a colon is missing")
            value = self._value(self._skip(colon + 1), depth + 1)
            comma, after = self._comma(value.end)
            members.append(Member(key, at, value, comma))
            at = after
        self._check_last(members[-1].comma if members else None)
        plain = {member.key: member.value.value for member in members}
        return Node(start, at + 1, plain, tuple(members))

    def _array(self, start: int, depth: int) -> Node:
        items: list[Any] = []
        comma: int | None = start
        at = self._skip(start + 1)
        while self._text[at : at + 1] != "]":
            if comma is None:
                raise Malformed(self._text, at, "a comma or a closing bracket is missing")
            node = self._value(at, depth + 1)
            items.append(node.value)
            comma, at = self._comma(node.end)
        self._check_last(comma if items else None)
        return Node(start, at + 1, items)

    def _comma(self, end: int) -> tuple[int | None, int]:
        """Where the comma stands after a value, None without one; and where the next thing does."""
        at = self._skip(end)
        if self._text[at : at + 1] == ",":
            return at, self._skip(at + 1)
        return None, at

    def _check_last(self, comma: int | None) -> None:
        if comma is not None and not self._comments:
            raise Malformed(self._text, comma, "there is a comma after the last one")

    def _scalar(self, at: int) -> tuple[Any, int]:
        try:
            return self._scalars.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            raise Malformed(self._text, error.pos, f"this is no JSON ({error.msg.lower()})") from None

    def _skip(self, at: int) -> int:
        """Past blanks and, where they are allowed, comments."""
        text = self._text
        while True:
            while at < len(text) and text[at] in _BLANK:
                at += 1
            if not self._comments or text[at : at + 2] not in {"//", "/*"}:
                return at
            stop = "\n" if text[at + 1] == "/" else "*/"
            end = text.find(stop, at + 2)
            if end < 0 and stop == "*/":
                raise Malformed(text, at, "this comment does not end")
            at = len(text) if end < 0 else end + len(stop)

    def _refuse_constant(self, name: str) -> Any:
        raise Malformed(self._text, max(0, self._text.find(name)), f"JSON has no {name}")
