"""WebDAV's multistatus answers (RFC 4918, 13), read as a stream: no entities, no network, and counted all the way."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, TypeVar, cast

from lxml import etree

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.scan_limits import ScanLimitReached

DAV = "DAV:"
MOST_IN_PROCESS = 1024 * 1024
"""Bytes that this process reads itself: with all limits reached they take half a second and some ten megabytes."""

ELEMENTS_PER_ENTRY = 60
"""Elements, and attributes, that an entry of an answer may have on average; those of Nextcloud have about ten."""

_SPARE_ELEMENTS = 10_000
_STEP = 64 * 1024
_WHOLE, _TOO_MUCH = "whole", "too much"
_RESPONSES_PER_PART = 500
_TASK = ParseTask(
    "citemark.sources.nextcloud.multistatus", "read_parts", "WebDAV answers", cpu_seconds=30.0, memory_mib=256
)
_STATUS = re.compile(r"\b([1-5]\d\d)\b")
_NO_XML = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[\da-fA-F]));"
)
_MOST_ATTRIBUTES = 256
_CROWDED = re.compile(
    rb"""<[^!?/<](?:[^<>"']*+(?:"[^<"]*+"|'[^<']*+')){%d}""" % (_MOST_ATTRIBUTES + 1),
)
"""One tag with more attributes: libxml2 has to hold them all before anybody can count them."""

_ROOT, _RESPONSE, _TOKEN = f"{{{DAV}}}multistatus", f"{{{DAV}}}response", f"{{{DAV}}}sync-token"

Node = Any
"""An lxml element; its stubs name the class private."""

T = TypeVar("T")


class MalformedMultistatus(RetriableSourceError):
    """The server answered with something that is no multistatus."""


@dataclass(frozen=True, slots=True)
class ChildElement:
    """An element directly inside a property: its qualified name, its attribute `name`, its text."""

    tag: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Property:
    """A property as far as anybody here looks."""

    text: str
    inside: tuple[ChildElement, ...] = ()


@dataclass(frozen=True, slots=True)
class MultistatusEntry:
    """What a multistatus says of one resource: the properties it has, by qualified name, or a status of its own.

    `href` is as the server writes it.
    """

    href: str
    status: int
    properties: Mapping[str, Property]

    def text(self, namespace: str, name: str) -> str:
        """The text of a property; "" where it is missing or empty."""
        found = self.properties.get(f"{{{namespace}}}{name}")
        return "" if found is None else found.text.strip()

    def inside(self, namespace: str, name: str) -> tuple[ChildElement, ...]:
        """What stands in a property."""
        found = self.properties.get(f"{{{namespace}}}{name}")
        return () if found is None else found.inside

    def kinds(self, namespace: str, name: str) -> frozenset[str]:
        """The qualified names of the elements inside a property."""
        return frozenset(each.tag for each in self.inside(namespace, name))


@dataclass(frozen=True, slots=True)
class Multistatus(Generic[T]):
    """What was made of an answer of status 207; `token` is that of a sync-collection report."""

    responses: tuple[T, ...]
    token: str = ""


async def read_answer(
    body: bytes, parsers: ParserPool, *, most: int, use: Callable[[MultistatusEntry], T | None]
) -> Multistatus[T]:
    """What `use` makes of each resource of an answer, without those of which it makes nothing.

    Small answers are read here, all others by a parsing process.

    Raises:
        MalformedAnswer: it is no multistatus, or is cut short.
        TooMuch: it has more than `most` resources, or far more elements than they need.
        RetriableSourceError: no process for parsing could be had, or `use` raises it.
        SkippableSourceError: it takes more time or memory than parsing may.
    """

    def used(part: Mapping[str, Any]) -> _Part[T]:
        found = (use(_response_from_row(row)) for row in part["responses"])
        return _Part(tuple(each for each in found if each is not None), part.get("end"), str(part.get("said", "")))

    if len(body) <= MOST_IN_PROCESS:
        # Half a megabyte takes a while, and questions are answered by the same loop.
        rows = read_parts(body, most=most)
        given = list(rows) if len(body) < _STEP else await asyncio.to_thread(list, rows)
        parts = [used(part) for part in given]
    else:
        parts = list(await parsers.parts(_TASK, ParseItem(body, {"most": most}), used))
    last = parts[-1]
    if last.end == _TOO_MUCH:
        raise ScanLimitReached(last.said, "MAX_ENTRIES")
    if last.end != _WHOLE:
        raise MalformedMultistatus(last.said or "The server's WebDAV answer is no multistatus.")
    return Multistatus(tuple(each for part in parts for each in part.used), last.said)


@dataclass(frozen=True, slots=True)
class _Part(Generic[T]):
    """Some resources of an answer; the last part says how it ended, and its token or what is wrong."""

    used: tuple[T, ...]
    end: str | None
    said: str


def read_parts(body: bytes, *, most: int) -> Iterator[dict[str, Any]]:
    """The resources of an answer as rows, and how it ended: what a parsing process is asked to do with large ones.

    Characters that no XML may hold are left out, as some servers pass them on from stored data.
    """
    reading = _MultistatusParser(most)
    rows: list[Any] = []
    try:
        for response in reading.responses(_NO_XML.sub(b"", body) if _NO_XML.search(body) else body):
            rows.append(response)
            if len(rows) >= _RESPONSES_PER_PART:
                yield {"responses": rows}
                rows = []
    except etree.XMLSyntaxError as error:
        yield {
            "responses": [],
            "end": "malformed",
            "said": f"The server's WebDAV answer is not well-formed: {error.msg}.",
        }
    except _Counted as error:
        yield {"responses": [], "end": _TOO_MUCH, "said": str(error)}
    else:
        end = _WHOLE if reading.is_multistatus else "malformed"
        yield {"responses": rows, "end": end, "said": reading.token}


class _Counted(Exception):
    """More elements, attributes or resources than are read."""


class _MultistatusParser:
    """One answer on its way through the parser; of what was read only the current resource is kept."""

    def __init__(self, most: int) -> None:
        self.token = ""
        self.is_multistatus = False
        self._most = most
        self._most_elements = _SPARE_ELEMENTS + ELEMENTS_PER_ENTRY * most
        self._elements = self._attributes = self._responses = 0

    def responses(self, body: bytes) -> Iterator[list[Any]]:
        """The rows of the resources.

        Raises:
            XMLSyntaxError: it is not well-formed, nested deeper than 256 levels, or has a text of ten megabytes.
            _Counted: it has more of anything than is read.
        """
        if _CROWDED.search(body):
            raise _Counted(f"The server's answer has an element with more than {_MOST_ATTRIBUTES} attributes")
        # Without `huge_tree` libxml2 keeps its own limits: of depth, of one text, of one tag.
        parser = etree.XMLPullParser(
            events=("end",), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
            remove_comments=True, remove_pis=True,
        )  # fmt: skip
        view = memoryview(body)
        for start in range(0, len(view), _STEP):
            parser.feed(bytes(view[start : start + _STEP]))
            yield from self._rows(parser)
        parser.close()
        yield from self._rows(parser)

    def _rows(self, parser: Any) -> Iterator[list[Any]]:
        for _, node in cast("Iterator[tuple[str, Node]]", parser.read_events()):
            self._count(node)
            above = node.getparent()
            if above is None:
                self.is_multistatus = node.tag == _ROOT
            elif above.getparent() is None and above.tag == _ROOT:
                if node.tag == _RESPONSE:
                    yield self._row(node)
                elif node.tag == _TOKEN:
                    self.token = str(node.text or "").strip()
            if above is not None and above.getparent() is None:
                node.clear()
                while node.getprevious() is not None:
                    del above[0]

    def _count(self, node: Node) -> None:
        self._elements += 1
        self._attributes += len(node.attrib)
        if max(self._elements, self._attributes) > self._most_elements:
            raise _Counted(f"The server's answer has more than {self._most_elements:,} elements or attributes")

    def _row(self, node: Node) -> list[Any]:
        self._responses += 1
        if self._responses > self._most:
            raise _Counted(f"The server's answer lists more than {self._most:,} entries")
        properties: dict[str, Any] = {}
        for part in node.iterfind(f"{{{DAV}}}propstat"):
            if _status(part) == HTTPStatus.OK:
                found = part.find(f"{{{DAV}}}prop")
                for each in () if found is None else found:
                    if isinstance(each.tag, str):
                        properties[each.tag] = [str(each.text or ""), [_inner(child) for child in each]]
        own = node.find(f"{{{DAV}}}status")
        href = str(node.findtext(f"{{{DAV}}}href") or "").strip()
        return [href, int(HTTPStatus.OK) if own is None else _status(node), properties]


def _inner(node: Node) -> list[str]:
    return [str(node.tag), str(node.get("name", "")), str(node.text or "")]


def _status(node: Node) -> int:
    found = _STATUS.search(node.findtext(f"{{{DAV}}}status") or "")
    return int(found[1]) if found else 0


def _response_from_row(row: list[Any]) -> MultistatusEntry:
    """The resource again.

    Raises:
        ValueError, TypeError: the row is not of the form.
    """
    href, status, properties = row
    return MultistatusEntry(
        str(href),
        int(status),
        {
            str(name): Property(str(text), tuple(ChildElement(*map(str, each)) for each in inside))
            for name, (text, inside) in properties.items()
        },
    )
