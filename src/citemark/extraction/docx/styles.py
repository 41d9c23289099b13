"""Styles and numbering of a Word document: which paragraphs are headings, titles, quotes or items, and their labels."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from citemark.extraction.list_numbers import letters, roman
from citemark.extraction.office import Node, attribute, attribute_of_child, child, children

_HEADING = re.compile(r"heading (\d)")

_BODY_LEVEL = 9
"""The outline level that means body text in Word."""


_DEEPEST_STYLE = 20
"""Most styles based on one another; a cycle of them ends here."""


_QUOTES = frozenset({"quote", "intense quote", "block text"})

_PLACEHOLDER = re.compile(r"%(\d)")


@dataclass(frozen=True, slots=True)
class Style:
    """The meaning of a paragraph style; `level` is 0 for body text, `list_id` is "" outside of lists."""

    level: int = 0
    is_title: bool = False
    is_quote: bool = False
    is_contents: bool = False
    list_id: str = ""
    list_level: int = 0


def read_styles(root: Node | None) -> Mapping[str, Style]:
    """The styles by id, each with the settings that it inherits."""
    nodes = {attribute(node, "styleId"): node for node in children(root, "style")}
    return {name: _style(name, nodes) for name in nodes}


def style_of(paragraph: Node, styles: Mapping[str, Style]) -> Style:
    """The style of a paragraph, with the settings of the paragraph itself."""
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


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list counts: its first number, the kind of its figures, and the text around them."""

    start: int
    figures: str
    pattern: str


@dataclass(frozen=True, slots=True)
class _List:
    levels: Mapping[int, _Level]
    counted_with: str
    restarts: Mapping[int, int]


class Numbering:
    """Numbers lists and headings as Word does, so that "3.2" is in the text; call it once per paragraph, in order."""

    def __init__(self, root: Node | None) -> None:
        self._lists: Mapping[str, _List] = _read_lists(root) if root is not None else {}
        self._counts: dict[str, dict[int, int]] = {}
        self._restarted: set[str] = set()

    def label(self, list_id: str, level: int) -> str | None:
        """Return the next label of a list, "" for a bullet, or None if there is no such list."""
        numbered_list = self._lists.get(list_id)
        if numbered_list is None or level not in numbered_list.levels:
            return None
        counts = self._counts.setdefault(numbered_list.counted_with, {})
        if list_id not in self._restarted:
            self._restarted.add(list_id)
            for index, start in numbered_list.restarts.items():
                counts[index] = start - 1
        own = numbered_list.levels[level]
        counts[level] = counts.get(level, own.start - 1) + 1
        for deeper in [index for index in counts if index > level]:
            del counts[deeper]
        if own.figures in {"bullet", "none"}:
            return ""

        def figure(match: re.Match[str]) -> str:
            index = int(match[1]) - 1
            other = numbered_list.levels.get(index, own)
            return _figures(other.figures, counts.get(index, other.start))

        return _PLACEHOLDER.sub(figure, own.pattern).strip()


def _read_lists(root: Node) -> Mapping[str, _List]:
    abstract = {
        attribute(node, "abstractNumId"): {
            int(attribute(level, "ilvl") or 0): _level(level) for level in children(node, "lvl")
        }
        for node in children(root, "abstractNum")
    }
    lists: dict[str, _List] = {}
    for node in children(root, "num"):
        base = attribute(child(node, "abstractNumId"), "val")
        levels = dict(abstract.get(base, {}))
        restarts: dict[int, int] = {}
        for change in children(node, "lvlOverride"):
            index = int(attribute(change, "ilvl") or 0)
            own = child(change, "lvl")
            if own is not None:
                levels[index] = _level(own)
            start = attribute_of_child(change, "startOverride")
            if start and start.isdigit():
                restarts[index] = int(start)
        lists[attribute(node, "numId")] = _List(levels, base, restarts)
    return lists


def _level(node: Node) -> _Level:
    start = attribute_of_child(node, "start") or "1"
    return _Level(
        start=int(start) if start.isdigit() else 1,
        figures=attribute_of_child(node, "numFmt") or "decimal",
        pattern=attribute_of_child(node, "lvlText") or "",
    )


def _figures(kind: str, number: int) -> str:
    writers: Mapping[str, Callable[[int], str]] = {
        "lowerLetter": letters,
        "upperLetter": lambda n: letters(n).upper(),
        "lowerRoman": roman,
        "upperRoman": lambda n: roman(n).upper(),
        "decimalZero": lambda n: f"{n:02d}",
        "bullet": lambda _: "",
        "none": lambda _: "",
    }
    return writers.get(kind, str)(number)
