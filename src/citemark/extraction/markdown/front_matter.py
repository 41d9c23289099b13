"""Reads the properties at the head of a page: YAML between dashes, TOML between plus signs, or a JSON object."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, cast

import yaml

from citemark.model.text import Span
from citemark.text.markdown import FrontMatterPlace, front_matter_of
from citemark.text.properties import Properties, comparable, compared

_PAIRS = MappingProxyType(
    {
        "yaml": re.compile(r"^([A-Za-z][\w-]{0,60})[ \t]*:[ \t]+([^\r\n]+)", re.MULTILINE),
        "toml": re.compile(r"^[ \t]*([A-Za-z][\w-]{0,60})[ \t]*=[ \t]*([^\r\n]+)", re.MULTILINE),
        "json": re.compile(r"^[ \t]*\"([^\"\r\n]{1,60})\"[ \t]*:[ \t]*([^\r\n]+?),?[ \t]*$", re.MULTILINE),
    }
)
"""What the lines of front matter look like that does not parse as a whole."""

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

_LONGEST_VALUE = 2_000
"""Most characters of a value; a description is a paragraph at most."""

_MOST_KEYS = 64
"""Most keys that are kept, which bounds the metadata of a page."""

_MOST_VALUES = 512
"""Most values that are kept of all keys together."""

_DEEPEST = 32
"""Deepest nesting that is walked; this stops at a bomb of brackets."""

_WIKI_LINK = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]$")


@dataclass(frozen=True, slots=True)
class Pair:
    """One value with the keys that lead to it, as written; `listed` tells an entry of a list."""

    path: tuple[str, ...]
    value: str
    listed: bool = False


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The values of a page's front matter: single values and flat lists, as written, and all pairs, nested ones too.

    `span` includes the lines around it, `inner` does not.
    """

    span: Span
    inner: Span
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    pairs: tuple[Pair, ...] = ()

    def words(self, key: str) -> tuple[str, ...]:
        """The separate words of a list, or of a string with commas."""
        listed = self.lists.get(key) or tuple(self.values.get(key, "").strip("[]").split(","))
        return tuple(word for word in (part.strip().strip("'\"") for part in listed) if word)

    def value(self, key: str) -> str:
        """A single value, whatever the case of its key; "" if there is none."""
        return next((value for each, value in self.values.items() if each.casefold() == key), "")

    def names(self) -> tuple[str, ...]:
        """What else the page is called: its aliases, each once, without the brackets of links."""
        keys = [key for key in (*self.values, *self.lists) if key.casefold() in ("alias", "aliases")]
        written = dict.fromkeys(word for key in keys for word in self.words(key))
        return tuple(link[1].strip() if (link := _WIKI_LINK.match(name)) else name for name in written)


def read_front_matter(body: str) -> FrontMatter | None:
    """The front matter of a page, or None if it has none. What does not parse is read line by line."""
    place = front_matter_of(body, "yaml", "toml", "json")
    if place is None:
        return None
    text, span = body[place.start : place.stop], Span(0, place.end)
    inner = Span(place.start, place.start + len(text.rstrip()))
    try:
        return front_matter(span, inner, list(_pairs(text, place)))
    except (yaml.YAMLError, ValueError, RecursionError):
        found = _PAIRS[place.form].findall(text.replace("\r", "\n"))[:_MOST_KEYS]
        return front_matter(span, inner, [Pair((key,), value.strip().strip("'\"")) for key, value in found])


def front_matter(span: Span, inner: Span, given: list[Pair]) -> FrontMatter:
    """The front matter with these pairs, which may be more than are kept."""
    values: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    pairs: list[Pair] = []
    for pair in given[:_MOST_VALUES]:
        value = " ".join(pair.value.split())[:_LONGEST_VALUE]
        pairs.append(Pair(pair.path, value, pair.listed))
        key = pair.path[0] if pair.path else ""
        if len(pair.path) != 1 or (key not in values and key not in lists and len(values) + len(lists) >= _MOST_KEYS):
            continue
        if pair.listed:
            lists.setdefault(key, []).append(value)
        else:
            values[key] = value
    return FrontMatter(span, inner, values, {key: tuple(each) for key, each in lists.items()}, tuple(pairs))


def properties_of(pairs: tuple[Pair, ...]) -> Properties:
    """The values by which pages are filtered."""
    found: dict[str, dict[str, None]] = {}
    for pair in pairs:
        key = comparable(".".join(pair.path))
        if key and (key in found or len(found) < _MOST_KEYS):
            found.setdefault(key, {}).update(dict.fromkeys(compared(pair.value)))
    return {key: tuple(values) for key, values in found.items() if values}


def _pairs(text: str, place: FrontMatterPlace) -> Iterator[Pair]:
    match place.form:
        case "yaml":
            return _yaml_pairs(text)
        case "toml":
            return _walked((), tomllib.loads(text.replace("\r\n", "\n").replace("\r", "\n")), listed=False)
        case "json":
            return _walked((), json.loads(f"{{{text}}}"), listed=False)
        case _:
            raise ValueError(place.form)


def _walked(path: tuple[str, ...], value: Any, *, listed: bool) -> Iterator[Pair]:
    if len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, below in cast("dict[str, Any]", value).items():
            yield from _walked((*path, key), below, listed=False)
    elif isinstance(value, list):
        for entry in cast("list[Any]", value):
            yield from _walked(path, entry, listed=True)
    elif value is not None:
        written = str(value).lower() if isinstance(value, bool) else str(value)
        yield Pair(path, written, listed)


@dataclass(slots=True)
class _Level:
    """A mapping or list that is being read: the keys that lead to it, and the key whose value comes next."""

    path: tuple[str, ...]
    is_list: bool
    is_key: bool
    key: str | None = None


def _yaml_pairs(text: str) -> Iterator[Pair]:
    """Walk the parser's events: aliases are never followed, so that a YAML bomb does not expand."""
    open_levels: list[_Level] = []
    count = 0
    for event in yaml.parse(text, Loader=_LOADER):
        level = open_levels[-1] if open_levels else None
        match event:
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                is_key = level is not None and not level.is_list and level.key is None
                path = () if level is None else _path(level)
                open_levels.append(_Level(path, isinstance(event, yaml.SequenceStartEvent), is_key))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                closed = open_levels.pop()
                if open_levels:
                    open_levels[-1].key = "" if closed.is_key else None
            case yaml.ScalarEvent() if level is not None:
                if not level.is_list and level.key is None:
                    level.key = event.value
                    continue
                count += 1
                yield Pair(_path(level), event.value, level.is_list)
                level.key = None
            case yaml.AliasEvent() if level is not None and not level.is_list:
                level.key = "" if level.key is None else None
            case _:
                pass
        if len(open_levels) > _DEEPEST or count >= _MOST_VALUES:
            return


def _path(level: _Level) -> tuple[str, ...]:
    return level.path if level.is_list or level.key is None else (*level.path, level.key)
