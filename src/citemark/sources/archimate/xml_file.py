"""From the bytes of a file to the root of its XML, whatever a stranger put into them."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import is_zipfile

from lxml import etree

from citemark.extraction.office import Node
from citemark.extraction.zips import open_zip
from citemark.model.errors import SkippableSourceError

MOST_BYTES = 64 * 1024 * 1024
"""Of XML, unpacked: some 80,000 elements, about as many as the memory of a parsing process allows by default."""

_MOST_ENTRIES = 2_000
_ENTRY = b"PK\x01\x02"
_MODEL = "model.xml"
_PROLOG = 64 * 1024
_STEP = 256


_DOCTYPE = (
    "The file has a document type or entities, which models do not have; it is not read. Export the model without them."
)
_GIVE = "Give an Open Group exchange file (version 3) or an .archimate file of Archi."
_PLACE = re.compile(r", line \d+, column \d+ \(<string>, line \d+\)$| \(<string>, line \d+\)$")
"""What lxml says at the end of a message, in two ways at once."""


def root_of(data: bytes) -> Node:
    """The root of the XML that `data` is, or that an Archi archive holds.

    Entities are not resolved, nothing is loaded, and a document type, which no model has, is refused.

    Raises:
        SkippableSourceError: it is no such file, is larger than any model, or tries what no model does.
    """
    if not data or data.isspace():
        raise SkippableSourceError(f"The file is empty. {_GIVE}")
    if is_zipfile(BytesIO(data)):
        data = _unpacked(data)
    if len(data) > MOST_BYTES:
        raise SkippableSourceError(
            f"The model has {len(data):,} bytes of XML, more than the {MOST_BYTES:,} that are read. "
            "Split it, or export the part that is asked about."
        )
    try:
        if _has_doctype(data):
            raise SkippableSourceError(_DOCTYPE)
        return etree.fromstring(data, etree.XMLParser(huge_tree=False, **_CAREFUL))
    except etree.XMLSyntaxError as error:
        if "entity" in str(error).lower():
            raise SkippableSourceError(_DOCTYPE) from None
        description = _PLACE.sub("", str(error))
        raise SkippableSourceError(
            f"The file is no well-formed XML: {description} (line {error.lineno}). {_GIVE}"
        ) from None


_CAREFUL: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
}


def _has_doctype(data: bytes) -> bool:
    """Read only as far as the first element: what stands before it decides, and is small."""
    parser = etree.XMLPullParser(events=("start",), **_CAREFUL)
    for start in range(0, min(len(data), _PROLOG), _STEP):
        parser.feed(data[start : start + _STEP])
        events: Iterator[Any] = iter(parser.read_events())
        for _, root in events:
            return root.getroottree().docinfo.internalDTD is not None
    raise SkippableSourceError(f"No element stands in the first {_PROLOG:,} bytes; the file is no model.")


def _unpacked(data: bytes) -> bytes:
    if data.count(_ENTRY) > _MOST_ENTRIES:
        raise SkippableSourceError(f"The zip file holds more than {_MOST_ENTRIES:,} entries; no model does. {_GIVE}")
    with open_zip(data) as archive:
        if _MODEL not in archive.namelist():
            raise SkippableSourceError(f"The zip file is no Archi archive: it has no {_MODEL}. {_GIVE}")
        return archive.read(_MODEL)


_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_BLANKS = re.compile(r"[^\S\n]+")


def line_of(text: str) -> str:
    """A name on one line."""
    return " ".join(text.split())


def text_of(node: Node | None) -> str:
    """What stands in a node: its lines without outer blanks and without empty ones; "" for no node."""
    if node is None:
        return ""
    text = "".join(str(part) for part in node.itertext()) if len(node) else str(node.text or "")
    lines = (_BLANKS.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def attribute_of(node: Node | None, name: str) -> str:
    """An attribute without a namespace; "" when there is none."""
    return "" if node is None else str(node.get(name, ""))


def kind_of(node: Node) -> str:
    """The type that a node says it is of (`xsi:type`), without its prefix."""
    return str(node.get(_TYPE, "")).rpartition(":")[2]
