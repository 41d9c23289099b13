"""Adds or removes one entry of a YAML configuration, and leaves every other byte as it is.

PyYAML tells where nodes begin; an entry is lines, and the lines between it and the next one that are blank or comments
belong to the next.
"""

import re
from collections.abc import Mapping
from typing import Any, cast

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from citemark.model.errors import InvalidArgument

_UNSAFE = "its entry is written in a way that cannot be changed safely"


class YamlText:
    """A document whose `servers` is a mapping of entries by name, or a list of entries with a `name`."""

    def __init__(self, text: str, servers: str, *, listed: bool) -> None:
        """Parse the document.

        Raises:
            InvalidArgument: it is malformed, or `servers` is not what such a configuration has.
        """
        self._text, self._key, self._listed = text, servers, listed
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._lines = text.splitlines(keepends=True)
        try:
            loaded = cast("object", yaml.safe_load(text))
            self._root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            raise InvalidArgument(" ".join(str(error).split())) from None
        if not isinstance(loaded, dict | None):
            raise InvalidArgument("it holds something other than a mapping")
        self._all = cast("dict[Any, Any]", loaded or {})
        entries = cast("object", self._all.get(servers))
        if entries is not None and not isinstance(entries, list if listed else dict):
            raise InvalidArgument(f"its {servers!r} is not a {'list' if listed else 'mapping'}")
        self._list = cast("list[Any]", entries) if isinstance(entries, list) else []
        self._mapping = cast("dict[str, Any]", entries) if isinstance(entries, dict) else {}

    def entry(self, name: str) -> object:
        """The entry with this name, or None."""
        return self.entries().get(name)

    def entries(self) -> Mapping[str, Any]:
        """All entries by their names."""
        if not self._listed:
            return self._mapping
        named = [cast("dict[str, Any]", each) for each in self._list if isinstance(each, dict)]
        return {str(each.get("name", "")): each for each in named}

    def with_entry(self, name: str, entry: Mapping[str, Any]) -> str:
        """The document with the entry added, or replaced in place."""
        spans = self._spans()
        if name in spans:
            start, end, indent = spans[name]
            lines = [*self._lines[:start], *self._rendered(name, entry, indent), *self._lines[end:]]
        elif spans:
            _, end, indent = list(spans.values())[-1]
            lines = [*self._closed(self._lines[:end]), *self._rendered(name, entry, indent), *self._lines[end:]]
        else:
            lines = self._begun(name, entry)
        return self._checked("".join(lines), self._with(name, entry))

    def without(self, name: str) -> str:
        """The document without that entry; unchanged if there is no such entry."""
        spans = self._spans()
        if name not in spans:
            return self._text
        start, end, _ = spans[name]
        lines = [*self._lines[:start], *self._lines[end:]]
        if len(spans) == 1:
            # A key without a value is null, which hosts may refuse.
            at = self._member_line()
            empty = "[]" if self._listed else "{}"
            lines = [
                *self._lines[:at],
                f"{' ' * self._key_indent()}{self._key}: {empty}{self._newline}",
                *lines[at + 1 :],
            ]
        return self._checked("".join(lines), self._with(name, None))

    def _with(self, name: str, entry: Mapping[str, Any] | None) -> object:
        """The value of `servers` with an entry, or without it for None."""
        if self._listed:
            before = self.entry(name)
            place = next((i for i, each in enumerate(self._list) if each is before), len(self._list))
            new = [] if entry is None else [dict(entry)]
            return [*self._list[:place], *new, *self._list[place + 1 :]]
        rest = {key: value for key, value in self._mapping.items() if entry is not None or key != name}
        return rest if entry is None else {**rest, name: dict(entry)}

    def _member(self) -> tuple[Node, Node] | None:
        if not isinstance(self._root, MappingNode):
            return None
        members = cast("list[tuple[Node, Node]]", self._root.value)
        return next(((key, value) for key, value in members if key.value == self._key), None)

    def _member_line(self) -> int:
        member = self._member()
        return len(self._lines) if member is None else member[0].start_mark.line

    def _key_indent(self) -> int:
        member = self._member()
        return 0 if member is None else member[0].start_mark.column

    def _spans(self) -> dict[str, tuple[int, int, int]]:
        """The first line of each entry, the line after its last one, and its indentation, by its name.

        Raises:
            InvalidArgument: the entries are written on one line.
        """
        member = self._member()
        if member is None or not (self._list or self._mapping):
            return {}
        node = member[1]
        if not isinstance(node, MappingNode | SequenceNode) or node.flow_style:
            raise InvalidArgument(_UNSAFE)
        starts: list[tuple[str, int, int]] = []
        for item in node.value:
            if isinstance(item, tuple):
                key = cast("tuple[Node, Node]", item)[0]
                starts.append((str(key.value), key.start_mark.line, key.start_mark.column))
            else:
                name = next(
                    (str(v.value) for k, v in item.value if isinstance(k, ScalarNode) and k.value == "name"), ""
                )
                starts.append((name, item.start_mark.line, node.start_mark.column))
        ends = [start for _, start, _ in starts[1:]] + [self._end_of(node)]
        return {
            name: (start, self._trimmed(start, end), indent)
            for (name, start, indent), end in zip(starts, ends, strict=True)
        }

    def _end_of(self, node: Node) -> int:
        """The line after the last one of a block."""
        mark = node.end_mark
        return mark.line if mark.line < len(self._lines) and mark.column == 0 else min(mark.line + 1, len(self._lines))

    def _trimmed(self, start: int, end: int) -> int:
        """The end of an entry without the blank lines and comments after it."""
        while end > start + 1 and re.match(r"\s*(?:#.*)?$", self._lines[end - 1]):
            end -= 1
        return end

    def _rendered(self, name: str, entry: Mapping[str, Any], indent: int) -> list[str]:
        value: object = [dict(entry)] if self._listed else {name: dict(entry)}
        text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, default_flow_style=False, width=10_000)
        return [f"{' ' * indent}{line}{self._newline}" for line in text.splitlines()]

    def _closed(self, lines: list[str]) -> list[str]:
        """The lines, the last of which ends."""
        return [*lines[:-1], lines[-1] + self._newline] if lines and not lines[-1].endswith("\n") else lines

    def _begun(self, name: str, entry: Mapping[str, Any]) -> list[str]:
        """The document with a first entry."""
        member = self._member()
        indent = self._key_indent() + (0 if self._listed else 2)
        new = [f"{' ' * self._key_indent()}{self._key}:{self._newline}", *self._rendered(name, entry, indent)]
        if member is None:
            return [*self._closed(self._lines), *new]
        at = member[0].start_mark.line
        if member[1].end_mark.line > at and self._lines[at].split("#")[0].strip() != f"{self._key}:":
            raise InvalidArgument(_UNSAFE)
        return [*self._lines[:at], *new, *self._lines[at + 1 :]]

    def _checked(self, text: str, entries: object) -> str:
        """The text, once it is certain that nothing but the entry has changed in it."""
        expected = {**self._all, self._key: entries}
        try:
            values: object = yaml.safe_load(text)
        except yaml.YAMLError:
            values = None
        if values != expected:
            raise InvalidArgument(_UNSAFE)
        return text
