"""Names and texts of a model as they are indexed."""

import re

from citemark.extraction.office import Node

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
