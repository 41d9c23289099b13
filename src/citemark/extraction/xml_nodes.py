"""XML of office files: parsed without entities or network, walked by local names."""

from collections.abc import Iterator
from typing import Any

from lxml import etree

Node = Any
"""An lxml element; its stubs name the class private."""


def parse_xml(data: bytes) -> Node:
    """The root of a document.

    Raises:
        lxml.etree.XMLSyntaxError: it is no XML, or nested deeper or written larger than any office program does.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    return etree.fromstring(data, parser)


def name_of(node: Node) -> str:
    """The name without its namespace; "" for comments and instructions."""
    tag = node.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(node: Node | None, *names: str) -> Iterator[Node]:
    """The children with one of these local names, all elements without any; none of what is not there."""
    for part in node if node is not None else ():
        name = name_of(part)
        if name and (not names or name in names):
            yield part


def child(node: Node | None, *path: str) -> Node | None:
    """The first child of the first name, its first child of the second, and so on; None where there is none."""
    for name in path:
        if node is None:
            return None
        node = next(children(node, name), None)
    return node


def attribute(node: Node | None, name: str) -> str:
    """An attribute by its local name; "" when there is none."""
    if node is None:
        return ""
    if name in node.attrib:
        return str(node.attrib[name])
    return next((str(value) for key, value in node.attrib.items() if key.rpartition("}")[2] == name), "")


def attribute_of_child(node: Node | None, *path: str) -> str | None:
    """`val` of a descendant that means something by being there: "" without one, None when it is not there."""
    found = child(node, *path)
    return None if found is None else attribute(found, "val")


def is_on(node: Node | None, *path: str) -> bool:
    """True when a switch is there and not switched off."""
    value = attribute_of_child(node, *path)
    return value is not None and value not in {"0", "false", "off", "none"}
