"""Finds links as written (inline, by reference, bare, in angle brackets, `href` of tags) in one linear pass."""

import re
from collections.abc import Iterator, Mapping, Sequence

from citemark.model.text import Block, BlockKind, Link, Span

_TOKEN = re.compile(
    r"[\\`\[\]<h](?:"  # every token begins with one of these signs, to which the engine can skip
    r"(?P<escape>(?<=\\)[!-/:-@\[-`{-~])"
    r"|(?P<code>(?<=`)`*+)"
    r"|(?P<open>(?<=\[)\[*+)"
    r"|(?P<close>(?<=\])\]*+)"
    r"|(?<=\bh)ref\s{0,9}=\s{0,9}\{?(?:\"(?P<double>[^\"]{1,2048})\"|'(?P<single>[^']{1,2048})')"
    r"|(?<=<)(?P<angle>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{1,2048})>"
    r"|(?P<bare>(?<=h)ttps?://[^\s<>\"'`\[\]{}|\\^]{1,2048}))"
)
_INLINE = re.compile(
    r"\(\s{0,99}(?:<([^<>\r\n]{0,2048})>|([^\s()<>]{0,2048}+(?:\([^\s()]{0,512}+\)[^\s()]{0,512}+){0,8}+))"
    r"(?:\s{1,99}(?:\"[^\"]{0,1024}\"|'[^']{0,1024}'|\([^()]{0,1024}\)))?\s{0,99}\)"
)
_REFERENCE = re.compile(r"\[([^\[\]]{0,999}+)\]")
_DEFINITION = re.compile(r"^[ \t>]{0,9}\[(?!\^)([^\[\]\r\n]{1,999}+)\]:[ \t]{0,99}<?([^\s<>]{1,2048}+)", re.MULTILINE)
_WIKI = re.compile(r"\[\[(?=[^\s\[\]|])([^\[\]\r\n|]{1,512})(?:\\?\|([^\[\]\r\n]{0,512}))?\]\](?!\()")
"""A link to a note by its name, with the words that are shown for it, if others."""

_ORG = re.compile(r"\[\[([^\[\]\r\n]{1,1024})\](?:\[([^\[\]\r\n]{1,512})\])?\]")
_DEPTH = 32
"""Most open brackets that are remembered, which keeps the scan of a line of brackets linear."""

_MOST_LINKS = 20_000
"""Most links of one page, which bounds the relations that are made from them."""

_LONGEST_TEXT = 200
"""Most characters of a link's text that are kept with its span."""


def is_wiki_link(target: str) -> bool:
    """Whether the target of a link is a name between double brackets, which each source resolves in its own way."""
    return target.startswith("[[") and target.endswith("]]")


def wiki_words(target: str) -> str:
    """The name, and the place behind a number sign, of a wikilink's target."""
    return target[2:-2].strip().rstrip("\\")


def org_links(body: str, blocks: Sequence[Block]) -> tuple[Link, ...]:
    """The links of an Org file: addresses as such, files and headings by their names, like wikilinks."""
    found: list[Link] = []
    for block in blocks:
        for match in _ORG.finditer(body, block.span.start, block.span.end):
            target = match[1].strip()
            if not re.match(r"(?:https?|mailto):", target, re.IGNORECASE):
                target = _org_target(target)
            if target:
                found.append(Link(Span(*match.span()), " ".join((match[2] or match[1]).split()), target))
    return tuple(found[:_MOST_LINKS])


def _org_target(target: str) -> str:
    kind, _, rest = target.partition(":")
    if kind == "file":
        name, _, place = rest.partition("::")
        return f"[[{name}#{place.lstrip('*#')}]]" if place and not place.isdigit() else f"[[{name}]]"
    if kind == "id":
        return f"[[id:{rest.partition('::')[0].strip()}]]"
    if target.startswith(("*", "#")):
        return f"[[#{target.lstrip('*#')}]]"
    return "" if kind != target else f"[[#{target}]]"


def _named_links(body: str, block: Block) -> Iterator[Link]:
    """The wikilinks of the properties of a page."""
    for match in _WIKI.finditer(body, block.span.start, block.span.end):
        yield Link(Span(*match.span()), " ".join((match[2] or match[1]).split()), f"[[{match[1].strip()}]]")


def links_of(body: str, blocks: Sequence[Block]) -> tuple[Link, ...]:
    """The links in everything except code and front matter, in order; images are not links."""
    definitions = {_label(match[1]): match[2] for match in _DEFINITION.finditer(body)}
    found: list[Link] = []
    for block in blocks:
        if block.kind is BlockKind.FRONT_MATTER:
            found.extend(_named_links(body, block))
        if block.kind in (BlockKind.CODE, BlockKind.FRONT_MATTER):
            continue
        text = block.span.of(body)
        if "[" in text or "://" in text or "href" in text or "<mailto:" in text:
            found.extend(_LinkScanner(text, block.span.start, definitions).read())
            if len(found) >= _MOST_LINKS:
                break
    return tuple(found[:_MOST_LINKS])


class _LinkScanner:
    """Reads the links of one block; `_open_brackets` holds the brackets that may still begin a link."""

    def __init__(self, text: str, offset: int, definitions: Mapping[str, str]) -> None:
        self.found: list[Link] = []
        self._text = text
        self._offset = offset
        self._definitions = definitions
        self._open_brackets: list[int] = []
        self._skip = 0

    def read(self) -> list[Link]:
        code_ends = _code_ends(self._text)
        for token in _TOKEN.finditer(self._text):
            start, end = token.span()
            if start < self._skip:
                continue
            match token.lastgroup:
                case "code":
                    self._skip = code_ends.get(start, end)
                case "open" if end - start > 1 and (wiki := self._wiki(start, end)) is not None:
                    self._skip = wiki
                case "open":
                    self._open_brackets.extend(range(max(start, end - _DEPTH), end))
                    del self._open_brackets[:-_DEPTH]
                case "close":
                    self._close(start, end)
                case "double" | "single" | "angle" as kind:
                    self._add((start, end), (start, start), token[kind])
                case "bare":
                    target = _trimmed(token[0])
                    self._add((start, start + len(target)), (start, start), target)
                case _:
                    pass
            if len(self.found) >= _MOST_LINKS:
                break
        return self.found

    def _wiki(self, start: int, end: int) -> int | None:
        """Add the wikilink whose brackets end at `end`, if it is one; returns where it ends."""
        match = _WIKI.match(self._text, end - 2)
        if match is None or self._text[start - 1 : start].isalnum():
            return None
        self._add(match.span(), match.span(2) if match[2] else match.span(1), f"[[{match[1].strip()}]]")
        return match.end()

    def _close(self, start: int, end: int) -> None:
        """Handle a run of closing brackets: the last one may end a link, the others only close brackets."""
        del self._open_brackets[max(0, len(self._open_brackets) - (end - start - 1)) :]
        if not self._open_brackets:
            return
        begin = self._open_brackets.pop()
        target, beyond = _target(self._text, begin, end, self._definitions)
        self._skip = max(beyond, end)
        if target and self._text[begin - 1 : begin] != "!":
            while self.found and self.found[-1].span.start >= self._offset + begin:
                self.found.pop()
            self._add((begin, beyond), (begin + 1, end - 1), target)

    def _add(self, span: tuple[int, int], words: tuple[int, int], target: str) -> None:
        text = " ".join(self._text[words[0] : min(words[1], words[0] + _LONGEST_TEXT)].split())
        self.found.append(Link(Span(self._offset + span[0], self._offset + span[1]), text, target))


def _target(text: str, begin: int, end: int, definitions: Mapping[str, str]) -> tuple[str, int]:
    """The target of the brackets that end at `end` ("" if they have none), and where the link ends."""
    inline = _INLINE.match(text, end)
    if inline is not None:
        return inline[1] or inline[2] or "", inline.end()
    if not definitions:
        return "", end
    reference = _REFERENCE.match(text, end)
    label = reference[1] if reference is not None and reference[1] else text[begin + 1 : min(end - 1, begin + 1000)]
    if reference is None and text[end : end + 1] == ":":
        return "", end
    return definitions.get(_label(label), ""), reference.end() if reference is not None else end


def _code_ends(text: str) -> dict[int, int]:
    """Map the start of each code span to its end: a run of backticks is closed by the next run of the same length."""
    if "`" not in text:
        return {}
    runs = [(match.start(), match.end()) for match in re.finditer(r"`++", text)]
    later: dict[int, int] = {}
    ends: dict[int, int] = {}
    for start, end in reversed(runs):
        close = later.get(end - start)
        if close is not None:
            ends[start] = close
        later[end - start] = end
    return ends


def _trimmed(url: str) -> str:
    """A bare address without the punctuation that belongs to the sentence (GFM's rule)."""
    url = url.rstrip("?!.,:*_~;")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip("?!.,:*_~;")
    return url


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()
