"""What of two answers must agree: JSON by keys, types and steady values, XML by structure."""

import json
import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from tests.nextcloud.messages import list_of, object_of
from tests.nextcloud.xml import Element

VOLATILE = frozenset(
    {
        "modified", "etag", "ETag", "lastModified", "createdAt", "stime", "delay", "content", "deletedAt", "token",
        "endpoint", "login", "appPassword", "apppassword", "server", "free", "used", "total", "url", "creationDateTime",
        "notified", "relative", "version", "lastLogin", "item_mtime", "item_size", "message", "order", "access_token",
    }
)  # fmt: skip


_TRASHED = re.compile(r"\.d\d{10}")
"""The time in the name of a deleted file."""


def repaired(text: str) -> Any:
    """The JSON of a text that may have been cut off anywhere: what is whole of it."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    for end, closing in _places(text):
        try:
            return json.loads(text[:end] + closing)
        except json.JSONDecodeError:
            continue
    return None


def _places(text: str) -> Iterator[tuple[int, str]]:
    """Where a value ends, from the last one back, with the brackets still open there."""
    stack: list[str] = []
    found: list[tuple[int, str]] = []
    quoted = escaped = False
    for place, letter in enumerate(text):
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter in "{[":
            stack.append("}" if letter == "{" else "]")
        elif letter in "}]":
            stack.pop()
            found.append((place + 1, "".join(reversed(stack))))
        elif letter == ",":
            found.append((place, "".join(reversed(stack))))
    return reversed(found)


UNSTEADY = frozenset({"lastEditor"})
"""What the real server left out now and then."""


def json_differences(recorded: Any, ours: Any, at: str = "", *, cut: bool = False) -> Iterator[str]:
    """Where keys, types or steady values differ; a cut record may lack keys and elements."""
    if (pairs := object_of(recorded)) is not None and (held := object_of(ours)) is not None:
        yield from _object_differences(pairs, held, at, cut=cut)
    elif (rows := list_of(recorded)) is not None and (listed := list_of(ours)) is not None:
        yield from _list_differences(rows, listed, at, cut=cut)
    elif at.rpartition(".")[2] in UNSTEADY:
        return
    elif at.rpartition(".")[2] in VOLATILE:
        if type(recorded) is not type(ours):
            yield f"{at}: {type(ours).__name__}, recorded {type(recorded).__name__}"
    elif recorded != ours:
        yield f"{at}: {ours!r}, recorded {recorded!r}"


def _object_differences(recorded: dict[str, Any], ours: dict[str, Any], at: str, *, cut: bool) -> Iterator[str]:
    if missing := recorded.keys() - ours.keys():
        yield f"{at}: lacks {sorted(missing)}"
    if not cut and (extra := ours.keys() - recorded.keys()):
        yield f"{at}: has {sorted(extra)} besides"
    for name in recorded.keys() & ours.keys():
        yield from json_differences(recorded[name], ours[name], f"{at}.{name}", cut=cut)


def _list_differences(recorded: list[Any], ours: list[Any], at: str, *, cut: bool) -> Iterator[str]:
    """Objects pair by id where they have one, else by place."""
    if not cut and len(recorded) != len(ours):
        yield f"{at}: {len(ours)} elements, recorded {len(recorded)}"
    by_id = {_id_of(one): one for one in ours}
    for place, one in enumerate(recorded):
        here = f"{at}[{place}]"
        number = _id_of(one)
        if number is not None:
            if number in by_id:
                yield from json_differences(one, by_id[number], here, cut=cut and place == len(recorded) - 1)
            else:
                yield f"{here}: no element with id {number!r}"
        elif place < len(ours):
            yield from json_differences(one, ours[place], here, cut=cut)


def _id_of(one: Any) -> Any:
    return (object_of(one) or {}).get("id")


def xml_outline(text: str) -> list[str]:
    """The responses of a multistatus as `href: status prop…`, or the paths of any other document with their texts."""
    root = etree.fromstring(_TRASHED.sub(".dWHEN", text).encode(), etree.XMLParser(recover=True))
    if root is None:
        return []
    if etree.QName(root).localname != "multistatus":
        return [f"{_path(node)} {(node.text or '').strip()}" for node in root.iter() if isinstance(node.tag, str)]
    return [line for child in root for line in _response_lines(child)]


def _response_lines(node: Element) -> Iterator[str]:
    if etree.QName(node).localname != "response":
        yield f"{node.tag}"
        return
    href = node.findtext("{DAV:}href") or ""
    for direct in node.findall("{DAV:}status"):
        yield f"{href}: {direct.text}"
    for stat in node.findall("{DAV:}propstat"):
        status = stat.findtext("{DAV:}status")
        props = stat.find("{DAV:}prop")
        for prop in props if props is not None else ():
            inner = " ".join(f"{etree.QName(one).localname}{dict(one.attrib) or ''}" for one in prop)
            yield f"{href}: {status} {prop.tag} {inner}".rstrip()


def _path(node: Element) -> str:
    above = [etree.QName(one).localname for one in node.iterancestors()]
    return "/".join([*reversed(above), etree.QName(node).localname])
