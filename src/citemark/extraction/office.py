"""Shared by the office formats: errors for files that cannot be read, headers of tables, and XML by local names."""

import warnings
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from struct import error as struct_error
from typing import Any
from zipfile import BadZipFile

from lxml import etree

from citemark.model.errors import SkippableSourceError

RAISED_BY_PARSERS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    etree.LxmlError,
    struct_error,
    zlib.error,
)
"""The errors that libraries raise for a file that they cannot read."""

Node = Any
"""An lxml element; the stubs of lxml declare its class as private."""


@contextmanager
def reading(what: str, *own: type[Exception]) -> Generator[None, None, None]:
    """Turn any error that a library raises for a broken `what` ("Word document") into a BrokenFile.

    `own` are errors of the library's own besides those that any parser raises.
    The library's warnings are silenced for the whole process, which reads one file at a time.

    Raises:
        BrokenFile: the file is broken.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (*RAISED_BY_PARSERS, *own) as error:
        raise broken(what, str(error)) from error


class BrokenFile(SkippableSourceError):
    """A file that is damaged, or is of a different kind than its name says; it may be possible to read parts of it."""


def broken(what: str, reason: str) -> BrokenFile:
    """The error for a file that is damaged, or is of a different kind than its name says."""
    reason = " ".join(reason.split())[:200].rstrip(". ") or "its parts do not fit together"
    return BrokenFile(
        f"The {what} is broken, or is another kind of file than its name says: {reason}. "
        "Open it in an office program and save it again, or get it again."
    )


def locked(what: str) -> SkippableSourceError:
    """The error for a file that is protected by a password."""
    return SkippableSourceError(
        f"The {what} is protected by a password. Save a copy without the password, or leave the file out of the source."
    )


def nothing_in(what: str) -> str:
    """The message for a file without text."""
    return (
        f"The {what} holds no text. If it shows scanned pages, make their text readable with a program for text "
        "recognition first."
    )


def parse_xml(data: bytes) -> Node:
    """Parse a document and return its root.

    Raises:
        lxml.etree.XMLSyntaxError: it is not XML, or is nested deeper or larger than anything an office program writes.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def name_of(node: Node) -> str:
    """The name of a node without its namespace, or "" for comments and processing instructions."""
    tag = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(node: Node | None, *names: str) -> Iterator[Node]:
    """The child elements with one of these local names, or all of them if none is given; nothing for a missing node."""
    if node is not None:
        yield from node.iterchildren(*(f"{{*}}{name}" for name in names or "*"))


def child(node: Node | None, *path: str) -> Node | None:
    """The first child with the first name, its first child with the second name, and so on; None if one is missing."""
    for name in path:
        if node is None:
            return None
        node = next(node.iterchildren(f"{{*}}{name}"), None)
    return node


def attribute(node: Node | None, name: str) -> str:
    """An attribute by its local name, or "" if the node or the attribute is missing."""
    if node is None:
        return ""
    if name in node.attrib:
        return str(node.attrib[name])
    return next((str(value) for key, value in node.attrib.items() if key.rpartition("}")[2] == name), "")


def attribute_of_child(node: Node | None, *path: str) -> str | None:
    """`val` of a descendant whose mere presence has a meaning: "" without the attribute, None without the element."""
    found = child(node, *path)
    return None if found is None else attribute(found, "val")


def is_on(node: Node | None, *path: str) -> bool:
    """Whether a switch is present and not turned off."""
    value = attribute_of_child(node, *path)
    return value is not None and value not in {"0", "false", "off", "none"}
