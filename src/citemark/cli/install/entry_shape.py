"""How hosts write the entry of a server: the same facts under other keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EntryShape:
    """The keys and constant members of an entry.

    Attributes:
        type: the value of `type` in an entry with a command; None if there is no such key.
        address_type: the same for an entry with an address.
        command: the key of the command.
        joined: whether the command and its arguments are one list.
        env: the key of the environment.
        url: the key of an address; None if the configuration takes no addresses.
        headers: the key of the headers that are sent to an address.
        constants: further members of a new entry.
        named: whether an entry holds its name, under `name`.
    """

    type: str | None = None
    address_type: str | None = None
    command: str = "command"
    joined: bool = False
    env: str = "env"
    url: str | None = "url"
    headers: str = "headers"
    constants: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    named: bool = False

    def command_of(self, entry: Mapping[str, Any]) -> tuple[str, list[Any]] | None:
        """The command of an entry and its arguments; None if it has none in this shape."""
        command: object = entry.get(self.command)
        if self.joined:
            words = cast("list[Any]", command) if isinstance(command, list) else []
            return (words[0], words[1:]) if words and isinstance(words[0], str) else None
        args: object = entry.get("args")
        return (command, cast("list[Any]", args)) if isinstance(command, str) and isinstance(args, list) else None

    def environment_of(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The environment of an entry."""
        value: object = entry.get(self.env)
        return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}

    def headers_of(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The headers of an entry."""
        value: object = entry.get(self.headers)
        return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}

    def with_command(
        self, before: Mapping[str, Any], name: str, words: list[str], environment: Mapping[str, Any]
    ) -> dict[str, Any]:
        """An entry that starts a command; other members of the one before stay."""
        started = {self.command: words} if self.joined else {self.command: words[0], "args": words[1:]}
        return {**self._first(name, self.type, before), **started, self.env: dict(environment)}

    def with_address(
        self, before: Mapping[str, Any], name: str, url: str, headers: Mapping[str, Any]
    ) -> dict[str, Any]:
        """An entry that leads to an address; other members of the one before stay."""
        place = {} if self.url is None else {self.url: url}
        return {**self._first(name, self.address_type, before), **place, self.headers: dict(headers)}

    def _first(self, name: str, type_: str | None, before: Mapping[str, Any]) -> dict[str, Any]:
        named = {"name": name} if self.named else {}
        typed = {} if type_ is None else {"type": type_}
        return {**named, **typed, **self.constants, **before, **typed}


STANDARD = EntryShape()
"""The form of Claude Desktop, which most hosts have taken over."""

SECRET_KEYS = frozenset({"env", "envs", "environment", "headers", "http_headers"})
"""Keys of any shape under which secrets may be."""
