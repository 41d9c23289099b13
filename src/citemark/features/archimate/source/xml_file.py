"""Untrusted bytes of a model file to XML, and the basic values read from its nodes."""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import is_zipfile

from lxml import etree

from citemark.extraction.office import Node
from citemark.extraction.zips import open_zip
from citemark.model.errors import SkippableSourceError

MOST_MODEL_BYTES = 64 * 1024 * 1024
"""Of XML, unpacked: some 80,000 elements, about as many as the memory of a parsing process allows by default."""

_MOST_ENTRIES = 2_000
"""Entries of an Archi archive: one model and its images."""

_ENTRY = b"PK\x01\x02"
_MODEL = "model.xml"
_PROLOG = 64 * 1024
"""Bytes in which the first element has to begin."""

_STEP = 256
"""Bytes per step of looking for it: small, because the parser reports events only after each step."""

_DOCTYPE = (
    "The file has a document type or entities, which models do not have; it is not read. Export the model without them."
)
_GIVE = "Give an Open Group exchange file (version 3) or an .archimate file of Archi."
_PLACE = re.compile(r", line \d+, column \d+ \(<string>, line \d+\)$| \(<string>, line \d+\)$")
"""The position that lxml appends to a message, in two notations."""


_CAREFUL: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "remove_comments": True,
    "remove_pis": True,
}

_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_BLANKS = re.compile(r"[^\S\n]+")


def root_of(data: bytes) -> Node:
    """Parse XML, or the XML inside an Archi archive, and return its root.

    Entities are not resolved, nothing is loaded from elsewhere, and a document type is refused: models have none.

    Raises:
        SkippableSourceError: the file is empty, not XML, too large, or contains what no model does.
    """
    if not data or data.isspace():
        raise SkippableSourceError(f"The file is empty. {_GIVE}")
    if is_zipfile(BytesIO(data)):
        data = _unpacked(data)
    if len(data) > MOST_MODEL_BYTES:
        raise SkippableSourceError(
            f"The model has {len(data):,} bytes of XML, more than the {MOST_MODEL_BYTES:,} that are read. "
            "Split it, or export the part that is asked about."
        )
    try:
        if _has_doctype(data):
            raise SkippableSourceError(_DOCTYPE)
        return etree.fromstring(data, etree.XMLParser(huge_tree=False, **_CAREFUL))
    except etree.XMLSyntaxError as error:
        if "entity" in str(error).lower():
            raise SkippableSourceError(_DOCTYPE) from None
        reason = _PLACE.sub("", str(error))
        raise SkippableSourceError(
            f"The file is not well-formed XML: {reason} (line {error.lineno}). {_GIVE}"
        ) from None


def _has_doctype(data: bytes) -> bool:
    """Tell whether there is a document type, reading only up to the first element."""
    parser = etree.XMLPullParser(events=("start",), **_CAREFUL)
    for start in range(0, min(len(data), _PROLOG), _STEP):
        parser.feed(data[start : start + _STEP])
        events: Iterator[Any] = iter(parser.read_events())
        for _, root in events:
            return root.getroottree().docinfo.internalDTD is not None
    raise SkippableSourceError(f"There is no element in the first {_PROLOG:,} bytes; the file is not a model.")


def _unpacked(data: bytes) -> bytes:
    if data.count(_ENTRY) > _MOST_ENTRIES:
        raise SkippableSourceError(f"The zip file holds more than {_MOST_ENTRIES:,} entries; no model does. {_GIVE}")
    with open_zip(data) as archive:
        if _MODEL not in archive.namelist():
            raise SkippableSourceError(f"The zip file is not an Archi archive: it has no {_MODEL}. {_GIVE}")
        return archive.read(_MODEL)


def line_of(text: str) -> str:
    """Return a name on one line."""
    return " ".join(text.split())


def text_of(node: Node | None) -> str:
    """Return the text of a node without blank lines and outer blanks; "" for None."""
    if node is None:
        return ""
    text = "".join(str(part) for part in node.itertext()) if len(node) else str(node.text or "")
    lines = (_BLANKS.sub(" ", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def attribute_of(node: Node | None, name: str) -> str:
    """Return an attribute without a namespace; "" where it is missing."""
    return "" if node is None else str(node.get(name, ""))


def kind_of(node: Node) -> str:
    """Return the type that a node declares (`xsi:type`), without its prefix."""
    return str(node.get(_TYPE, "")).rpartition(":")[2]
