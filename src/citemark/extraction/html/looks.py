"""What the look of an element of a web page says: raised, lowered or struck out, by its name or its style."""

import re
from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citemark.extraction.text_runs import Look
from citemark.text.marks import STRUCK, box
from citemark.text.raised import lowered, raised

_PLACES = {"sup": 1, "sub": -1}
_PLAIN = frozenset({"p", "li", "ul", "ol", "div", "span", "b", "i", "em", "strong", "tr", "td", "a", "code", "section"})
_STRUCK = frozenset({"del", "s", "strike"})
_SECOND_OF = {"msup": (1,), "mover": (1,), "msub": (-1,), "munder": (-1,), "msubsup": (-1, 1), "munderover": (-1, 1)}
"""Elements of MathML, with the places of their second and third child."""

_ALIGNED = re.compile(r"vertical-align\s*:\s*(?:(super)|(sub)\b|(-?)(\d*\.?\d+)(em|ex|%))", re.IGNORECASE)
_LEAST_SHARE = 0.3
"""Of a line's height: a text that is moved by less is adjusted to its neighbours, not raised."""

_BOXES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
"""Roles of elements that show whether they are checked."""

_LINE_THROUGH = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)
_RULE = re.compile(r"([^{}]{1,500})\{([^{}]{1,2000})\}")
_CLASS = re.compile(r"(?:^|,)\s*(?:span|p|td|li|div|em|b|i|font)?\.([A-Za-z_][\w-]*)\s*(?=,|$)")
_MOST_RULES = 2_000
"""Most rules of a page's own style sheets that are examined."""


def look_of(node: LexborNode, tag: str, attributes: Mapping[str, str | None], outer: Look) -> Look:
    """The look of an element in one with the look `outer`."""
    if not attributes and tag in _PLAIN:
        return outer
    place = _PLACES.get(tag, 0)
    struck = tag in _STRUCK
    style = attributes.get("style") if attributes else None
    if style:
        place = place or _aligned(style)
        struck = struck or _LINE_THROUGH.search(style) is not None
    if tag[0] == "m" and not place:
        place = _place_in_formula(node)
    return outer.with_(place=place, struck=struck)


def around(node: LexborNode, tag: str) -> tuple[str, str]:
    """What a reader sees before and behind an element: quotation marks; in a formula a bar, a root or brackets."""
    if tag == "q":
        return "\u201c", "\u201d"
    parent = node.parent
    if parent is not None and parent.tag == "mfrac":
        brackets = ("", "") if node.text().strip().isalnum() else ("(", ")")
        return f"/{brackets[0]}" if _index(node) else brackets[0], brackets[1]
    return ("\u221a(", ")") if tag == "msqrt" else ("", "")


def written_look(tag: str, text: str, before: str) -> str:
    """The text of an element that keeps its lines, with what the name of the element says."""
    if tag in _PLACES:
        return raised(text, before.strip()) if _PLACES[tag] > 0 else lowered(text)
    return f"{STRUCK}{text}{STRUCK}" if tag in _STRUCK and text.strip() else text


def input_box(tag: str, attributes: Mapping[str, str | None]) -> str:
    """The box that a form control shows, or an element that plays its part; "" for one that shows none."""
    if tag == "input" and (attributes.get("type") or "").lower() in {"checkbox", "radio"}:
        return f" {box(checked='checked' in attributes)} "
    if attributes and (attributes.get("role") or "").lower() in _BOXES and "aria-checked" in attributes:
        return f" {box(checked=attributes['aria-checked'] == 'true')} "
    return ""


def style_by_class(tree: LexborHTMLParser) -> None:
    """Write what the page's own style sheets say about place and struck text into the elements of those classes."""
    for sheet in tree.css("style"):
        for name, said in _rules_of(sheet.text()):
            for node in tree.css(f".{name}"):
                node.attrs["style"] = f"{node.attributes.get('style') or ''};{said}"


def _rules_of(sheet: str) -> Iterator[tuple[str, str]]:
    for number, rule in enumerate(_RULE.finditer(sheet)):
        if number >= _MOST_RULES:
            return
        aligned, struck = _ALIGNED.search(rule[2]), _LINE_THROUGH.search(rule[2])
        said = ";".join(found[0] for found in (aligned, struck) if found is not None)
        if said:
            yield from ((name, said) for name in _CLASS.findall(rule[1].strip()))


def _aligned(style: str) -> int:
    found = _ALIGNED.search(style)
    if found is None:
        return 0
    if found[1] or found[2]:
        return 1 if found[1] else -1
    share = float(found[4]) / (100 if found[5] == "%" else 2 if found[5].lower() == "ex" else 1)
    return 0 if share < _LEAST_SHARE else -1 if found[3] else 1


def _place_in_formula(node: LexborNode) -> int:
    parent = node.parent
    places = _SECOND_OF.get(parent.tag or "") if parent is not None else None
    if places is None or parent is None:
        return 0
    index = _index(node)
    return places[index - 1] if 0 < index <= len(places) else 0


def _index(node: LexborNode) -> int:
    """The position of an element among its siblings."""
    parent = node.parent
    siblings = [other.mem_id for other in parent.iter()] if parent is not None else []
    return siblings.index(node.mem_id) if node.mem_id in siblings else 0
