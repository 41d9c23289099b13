"""Cuts what makes a page slow to parse: elements without end inside each other, and attributes without end.

The time of an HTML parser grows with the square of both, because it looks through all open elements at many a tag, and
through all attributes of an element at each attribute. This looks at each character once; where it is deceived about
what is open, the parsing process has its limit of time.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

MOST_OPEN = 256
"""Elements inside each other; the deepest pages of people have some sixty, and beyond 150 structure is not read."""

_MOST_FORMATS = 24
"""Elements of formatting inside each other: a parser opens all of them anew in each paragraph that follows."""

_MOST_ATTRIBUTES = 128
_LONG_TAG = 1_000
"""Characters from which the attributes of a tag are counted; 128 short ones take as many."""

_TOKEN = re.compile(
    r"<(?:(?P<comment>!--)|(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<rest>(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+)>)"
)
_COMMENT_END = re.compile(r"--!?>|(?<=<!--)-?>")
_ATTRIBUTE = re.compile(r"[^\s/=>][^\s/=>]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>]++))?+")

_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
"""Elements in which nothing is a tag but their own end."""

_FORMATS = frozenset({"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"})

_NEVER_OPEN = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
     "html", "head", "body", "p", "li", "dd", "dt", "option", "optgroup", "tr", "td", "th", "thead", "tbody", "tfoot",
     "colgroup", "caption", "rp", "rt"}
)  # fmt: skip
"""Elements without content, and those that many a page leaves to the parser to close."""


@dataclass(slots=True)
class Trimmed:
    """A page that a parser reads in linear time, and how many elements and attributes were cut for that."""

    text: str
    elements: int = 0
    attributes: int = 0


@dataclass(slots=True)
class _Open:
    """The elements that are open, by name, and those of them that were cut."""

    kept: Counter[str] = field(default_factory=Counter[str])
    cut: Counter[str] = field(default_factory=Counter[str])
    depth: int = 0
    formats: int = 0

    def opens(self, name: str) -> bool:
        """Whether an element may be opened; it is open from then on."""
        if name in _NEVER_OPEN:
            return True
        is_format = name in _FORMATS
        if self.depth >= MOST_OPEN or (is_format and self.formats >= _MOST_FORMATS):
            self.cut[name] += 1
            return False
        self.kept[name] += 1
        self.depth += 1
        self.formats += is_format
        return True

    def closes(self, name: str) -> bool:
        """Whether an end tag is for an element that was kept."""
        if self.cut[name]:
            self.cut[name] -= 1
            return False
        if self.kept[name]:
            self.kept[name] -= 1
            self.depth -= 1
            self.formats -= name in _FORMATS
        return True


def trimmed(text: str) -> Trimmed:
    """A page without the tags of elements that are nested too deeply, and without attributes beyond the first 128."""
    found, opened = Trimmed(text), _Open()
    parts: list[str] = []
    at = kept = 0
    while (token := _TOKEN.search(text, at)) is not None:
        at = token.end()
        name = (token["name"] or "").lower()
        if token["comment"] is not None:
            end = _COMMENT_END.search(text, at)
            at = len(text) if end is None else end.end()
        elif token["end"]:
            if not opened.closes(name):
                parts.append(text[kept : token.start()])
                kept = at
        elif not opened.opens(name):
            found.elements += 1
            parts.append(text[kept : token.start()])
            kept = at
        else:
            if at - token.start() > _LONG_TAG and (few := _few_attributes(token["rest"], found)) is not None:
                parts += [text[kept : token.start("rest")], few]
                kept = token.end("rest")
            if name in _RAW:
                at = _end_of_raw(text, at, name)
    if parts:
        found.text = "".join([*parts, text[kept:]])
    return found


def _few_attributes(rest: str, found: Trimmed) -> str | None:
    """The first attributes of a tag; None if it has no more than are read."""
    attributes = [attribute[0] for attribute in _ATTRIBUTE.finditer(rest)]
    if len(attributes) <= _MOST_ATTRIBUTES:
        return None
    found.attributes += len(attributes) - _MOST_ATTRIBUTES
    return " " + " ".join(attributes[:_MOST_ATTRIBUTES])


def _end_of_raw(text: str, at: int, name: str) -> int:
    """Where the content of an element ends that holds no tags; the end of the page if it is never closed."""
    end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(text, at)
    return len(text) if end is None else end.start()
