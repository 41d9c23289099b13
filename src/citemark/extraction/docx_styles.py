"""Paragraph styles of a Word document: which are headings, titles, quotations or lists."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from citemark.extraction.xml_nodes import Node, attribute, attribute_of_child, child, children

_HEADING = re.compile(r"heading (\d)")
_BODY_LEVEL = 9
_DEEPEST_STYLE = 20
_QUOTES = frozenset({"quote", "intense quote", "block text"})


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph is by its style; `level` is 0 for text, `list_id` "" for what is in no list."""

    level: int = 0
    is_title: bool = False
    is_quote: bool = False
    is_contents: bool = False
    list_id: str = ""
    list_level: int = 0


def read_styles(root: Node | None) -> Mapping[str, Style]:
    """The styles by id, each with what it inherits."""
    nodes = {attribute(node, "styleId"): node for node in children(root, "style")}
    return {name: _style(name, nodes) for name in nodes}


def style_of(paragraph: Node, styles: Mapping[str, Style]) -> Style:
    """The style of a paragraph with what it sets itself."""
    properties = child(paragraph, "pPr")
    style = styles.get(attribute(child(properties, "pStyle"), "val"), Style())
    return _with_own(style, properties)


def _style(name: str, nodes: Mapping[str, Node]) -> Style:
    chain: list[Node] = []
    while name in nodes and len(chain) < _DEEPEST_STYLE:
        chain.append(nodes[name])
        name = attribute(child(nodes[name], "basedOn"), "val")
    style = Style()
    for node in reversed(chain):
        title = (attribute_of_child(node, "name") or "").casefold()
        if (heading := _HEADING.fullmatch(title)) is not None:
            style = replace(style, level=int(heading[1]))
        style = replace(
            style,
            is_title=style.is_title or title == "title",
            is_quote=style.is_quote or title in _QUOTES,
            is_contents=style.is_contents or title.startswith("toc "),
        )
        style = _with_own(style, child(node, "pPr"))
    return style


def _with_own(style: Style, properties: Node | None) -> Style:
    outline = attribute_of_child(properties, "outlineLvl")
    if outline is not None and outline.isdigit():
        style = replace(style, level=int(outline) + 1 if int(outline) < _BODY_LEVEL else 0)
    list_id = attribute_of_child(properties, "numPr", "numId")
    list_level = attribute_of_child(properties, "numPr", "ilvl")
    if list_id is not None:
        style = replace(style, list_id="" if list_id == "0" else list_id)
    if list_level is not None and list_level.isdigit():
        style = replace(style, list_level=int(list_level))
    return style
