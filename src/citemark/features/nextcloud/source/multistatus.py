"""Reads WebDAV multistatus responses (RFC 4918, 13) as a stream: no entities, no network access, everything counted."""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, TypeVar, cast

from lxml import etree

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.scan_limits import ScanLimitReached
from citemark.model.errors import RetriableSourceError

DAV = "DAV:"
MOST_IN_PROCESS = 1024 * 1024
"""Bytes that this process parses itself; with all limits reached that takes half a second and some ten megabytes."""

ELEMENTS_PER_ENTRY = 60
"""Elements, and attributes, that an entry may have on average; those of Nextcloud have about ten."""

_SPARE_ELEMENTS = 10_000
"""Elements allowed beyond that, so that a short listing may have a long entry."""

_STEP = 64 * 1024
"""Bytes fed to the parser at a time; a whole response this small is parsed without a thread."""

_WHOLE, _TOO_MUCH = "whole", "too much"
_RESPONSES_PER_PART = 500
"""Entries per message from the parsing process, some hundred kilobytes."""

_TASK = ParseTask(
    "citemark.features.nextcloud.source.multistatus", "read_parts", "WebDAV answers", cpu_seconds=30.0, memory_mib=256
)
_STATUS = re.compile(r"\b([1-5]\d\d)\b")
_NO_XML = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[\da-fA-F]));"
)
_MOST_ATTRIBUTES = 256
"""Attributes of one element; WebDAV uses two or three."""

_CROWDED = re.compile(
    rb"""<[^!?/<](?:[^<>"']*+(?:"[^<"]*+"|'[^<']*+')){%d}""" % (_MOST_ATTRIBUTES + 1),
)
"""A tag with more attributes: libxml2 would hold them all before they can be counted."""

_ROOT, _RESPONSE, _TOKEN = f"{{{DAV}}}multistatus", f"{{{DAV}}}response", f"{{{DAV}}}sync-token"

Node = Any
"""An lxml element; the stubs mark its class private."""

T = TypeVar("T")


class MalformedMultistatus(RetriableSourceError):
    """The response claims to be a multistatus and is not."""


@dataclass(frozen=True, slots=True)
class ChildElement:
    """An element directly inside a property: its qualified name, its attribute `name`, its text."""

    tag: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Property:
    """The text of a property and the elements directly inside it."""

    text: str
    inside: tuple[ChildElement, ...] = ()


@dataclass(frozen=True, slots=True)
class MultistatusEntry:
    """The `response` element about one resource: its properties by qualified name, or a status of its own.

    `href` is as the server writes it.
    """

    href: str
    status: int
    properties: Mapping[str, Property]

    def text(self, namespace: str, name: str) -> str:
        """Return the text of a property; "" where it is missing or empty."""
        found = self.properties.get(f"{{{namespace}}}{name}")
        return "" if found is None else found.text.strip()

    def inside(self, namespace: str, name: str) -> tuple[ChildElement, ...]:
        """Return the elements inside a property."""
        found = self.properties.get(f"{{{namespace}}}{name}")
        return () if found is None else found.inside

    def kinds(self, namespace: str, name: str) -> frozenset[str]:
        """Return the qualified names of the elements inside a property."""
        return frozenset(each.tag for each in self.inside(namespace, name))


@dataclass(frozen=True, slots=True)
class Multistatus(Generic[T]):
    """The processed entries of a response with status 207; `token` is that of a sync-collection report."""

    responses: tuple[T, ...]
    token: str = ""


async def read_answer(
    body: bytes, parsers: ParserPool, *, most: int, use: Callable[[MultistatusEntry], T | None]
) -> Multistatus[T]:
    """Parse a response and process its entries; small ones here, others in a parsing process.

    Args:
        body: of the response.
        parsers: the parsing processes.
        most: upper bound of the number of entries.
        use: processes one entry; entries for which it returns None are left out.

    Raises:
        MalformedMultistatus: it is not a multistatus, or is cut off.
        ScanLimitReached: it has more than `most` entries, or far more elements than they need.
        RetriableSourceError: no parsing process is available, or `use` raises it.
        SkippableSourceError: parsing takes too much time or memory.
    """

    def used(part: Mapping[str, Any]) -> _Part[T]:
        found = (use(_response_from_row(row)) for row in part["responses"])
        return _Part(tuple(each for each in found if each is not None), part.get("end"), str(part.get("detail", "")))

    if len(body) <= MOST_IN_PROCESS:
        # Half a megabyte takes a while, and the same event loop answers queries.
        rows = read_parts(body, most=most)
        messages = list(rows) if len(body) < _STEP else await asyncio.to_thread(list, rows)
        parts = [used(part) for part in messages]
    else:
        parts = list(await parsers.parts(_TASK, ParseItem(body, {"most": most}), used))
    last = parts[-1]
    if last.end == _TOO_MUCH:
        raise ScanLimitReached(last.detail, "MAX_ENTRIES")
    if last.end != _WHOLE:
        raise MalformedMultistatus(last.detail or "The server's WebDAV answer is not a multistatus.")
    return Multistatus(tuple(each for part in parts for each in part.used), last.detail)


@dataclass(frozen=True, slots=True)
class _Part(Generic[T]):
    """Some entries of a response; the last part says how it ended; its `detail` is the token, or what is wrong."""

    used: tuple[T, ...]
    end: str | None
    detail: str


def read_parts(body: bytes, *, most: int) -> Iterator[dict[str, Any]]:
    """Yield the entries of a response as rows, and how it ended; runs in a parsing process for large responses.

    Characters that XML does not allow are left out, because some servers pass them on from stored data.
    """
    parser = _MultistatusParser(most)
    rows: list[Any] = []
    try:
        for response in parser.responses(_NO_XML.sub(b"", body) if _NO_XML.search(body) else body):
            rows.append(response)
            if len(rows) >= _RESPONSES_PER_PART:
                yield {"responses": rows}
                rows = []
    except etree.XMLSyntaxError as error:
        yield {
            "responses": [],
            "end": "malformed",
            "detail": f"The server's WebDAV answer is not well-formed: {error.msg}.",
        }
    except _LimitExceeded as error:
        yield {"responses": [], "end": _TOO_MUCH, "detail": str(error)}
    else:
        end = _WHOLE if parser.is_multistatus else "malformed"
        yield {"responses": rows, "end": end, "detail": parser.token}


class _LimitExceeded(Exception):
    """A response has more elements, attributes or entries than are read."""


class _MultistatusParser:
    """Parses one response and keeps only the entry in progress."""

    def __init__(self, most: int) -> None:
        self.token = ""
        self.is_multistatus = False
        self._most = most
        self._most_elements = _SPARE_ELEMENTS + ELEMENTS_PER_ENTRY * most
        self._elements = self._attributes = self._responses = 0

    def responses(self, body: bytes) -> Iterator[list[Any]]:
        """Yield the rows of the entries.

        Raises:
            XMLSyntaxError: it is not well-formed, nested deeper than 256 levels, or has a text of ten megabytes.
            _LimitExceeded: it has more entries, elements or attributes than are read.
        """
        if _CROWDED.search(body):
            raise _LimitExceeded(f"The server's answer has an element with more than {_MOST_ATTRIBUTES} attributes")
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
            raise _LimitExceeded(f"The server's answer has more than {self._most_elements:,} elements or attributes")

    def _row(self, node: Node) -> list[Any]:
        self._responses += 1
        if self._responses > self._most:
            raise _LimitExceeded(f"The server's answer lists more than {self._most:,} entries")
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
    """Read a row back.

    Raises:
        ValueError, TypeError: the row is malformed.
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
