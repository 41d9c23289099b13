"""Reads lists of references, one section per reference: BibTeX (.bib), and CSL-JSON, which Zotero exports as .json.

The text stays as it is written. What a person calls a reference (authors, year, title in plain letters) is the title of
its section, so that it is found by words that the file spells with commands of TeX.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from citemark.extraction.markdown.headings import Heading, nested, slugify
from citemark.extraction.tex_letters import plain_text
from citemark.extraction.text_files import extract_code
from citemark.model.text import Block, BlockKind, Extracted, Link, Span

_ENTRY = re.compile(r"@[ \t]*([A-Za-z]+)\s*([{(])")
_NO_REFERENCES = frozenset({"comment", "preamble"})
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_OPENING_OR_ROUND = re.compile(r"[{)]")
_KEY = re.compile(r"\s*([^\s,={}()\"]+)\s*,")
_FIELD = re.compile(r"[\s,]*([A-Za-z][\w:.+-]*)\s*=\s*")
_WORD = re.compile(r"[^\s,#{}()\"]+")
_JOIN = re.compile(r"\s*#\s*")
_SPACE = re.compile(r"\s+")
_BETWEEN = re.compile(r"[\s,]+")
_YEAR = re.compile(r"\d{4}")
_AND = re.compile(r"\s+and\s+")
_MOST_AUTHORS = 3
"""Authors that a title names; the others are in the text."""

_MOST_REFERENCES = 20_000
_LONGEST_TITLE = 200
_FILE_PARTS = 3
"""A file as Zotero writes it: its name, its path, its type, with colons between."""


def extract_bibtex(body: str, *, fallback_title: str) -> Extracted:
    """Extract a BibTeX file; what stands outside of entries is text, as BibTeX itself ignores it."""
    entries = [entry for _, entry in zip(range(_MOST_REFERENCES), _entries(body), strict=False)]
    return _listed(body, entries, fallback_title)


def extract_csl(body: str, *, fallback_title: str) -> Extracted:
    """Extract a list of references in CSL-JSON; any other JSON is data, made of lines."""
    entries = _items(body)
    if not entries:
        return extract_code(body, fallback_title=fallback_title)
    return _listed(body, entries, fallback_title)


@dataclass(frozen=True, slots=True)
class _Reference:
    """A reference: where it stands, the key by which texts cite it, and its fields in plain letters, by lower case."""

    span: Span
    key: str
    fields: Mapping[str, str]

    @property
    def title(self) -> str:
        """What people call it: "Ada Lovelace, Charles Babbage (1843): Notes on the Engine"."""
        authors = _people(self.fields.get("author") or self.fields.get("editor", ""))
        dated = _YEAR.search(self.fields.get("year") or self.fields.get("date") or self.fields.get("issued", ""))
        by = f"{authors} ({dated[0]})" if authors and dated else authors or (dated[0] if dated else "")
        named = self.fields.get("title") or self.fields.get("booktitle", "")
        return ": ".join(part for part in (by, named) if part)[:_LONGEST_TITLE] or self.key

    @property
    def targets(self) -> Iterator[str]:
        """What it leads to: its address, and the files that a program keeps with it."""
        doi, url = self.fields.get("doi", ""), self.fields.get("url", "")
        if doi:
            yield doi if "://" in doi else f"https://doi.org/{doi}"
        elif url:
            yield url
        for file in self.fields.get("file", "").split(";"):
            parts = file.split(":")
            path = (parts[-2] if len(parts) >= _FILE_PARTS else file).strip()
            if path and not path.startswith(("/", "\\")):
                yield path


def _people(names: str) -> str:
    """Names that BibTeX joins by "and", each in the order in which it is spoken."""
    people = [" ".join(reversed([part.strip() for part in name.split(",", 1)])) for name in _AND.split(names) if name]
    shown = [person.strip() for person in people if person.strip() and person.strip() != "others"]
    more = len(shown) > _MOST_AUTHORS or any(person.strip() == "others" for person in people)
    return ", ".join(shown[:_MOST_AUTHORS]) + (" et al." if shown and more else "")


def _listed(body: str, references: Sequence[_Reference], title: str) -> Extracted:
    headings = [Heading(each.span.start, 1, each.title, slugify(each.key)) for each in references]
    blocks = list(_blocks(body, references))
    links = [
        Link(each.span, each.title, target) for each in references for target in dict.fromkeys(each.targets) if target
    ]
    return Extracted(title=title, body=body, blocks=tuple(blocks), sections=nested(body, headings), links=tuple(links))


def _blocks(body: str, references: Sequence[_Reference]) -> Iterator[Block]:
    at = 0
    for reference in (*references, None):
        until = len(body) if reference is None else reference.span.start
        text = body[at:until]
        if text.strip(" \t\r\n,[]"):
            start = at + len(text) - len(text.lstrip())
            yield Block(BlockKind.PARAGRAPH, Span(start, start + len(text.strip())))
        if reference is not None:
            yield Block(BlockKind.PARAGRAPH, reference.span)
            at = reference.span.end


# BibTeX


def _entries(body: str) -> Iterator[_Reference]:
    strings: dict[str, str] = {}
    pairs = _pairs(body)
    endings = _Endings(body, pairs)
    at = 0
    while (found := _ENTRY.search(body, at)) is not None:
        kind, end = found[1].lower(), pairs.get(found.end() - 1) if found[2] == "{" else endings.of(found.end())
        if end is None:
            # A broken entry costs itself: the next one begins at the next "@".
            at = found.end()
            continue
        at = end
        if kind in _NO_REFERENCES:
            continue
        if kind == "string":
            strings |= _Fields(body, end - 1, pairs, strings).read(found.end())
            continue
        key = _KEY.match(body, found.end(), end)
        if key is not None:
            yield _Reference(Span(found.start(), end), key[1], _Fields(body, end - 1, pairs, strings).read(key.end()))


def _pairs(body: str) -> dict[int, int]:
    """The place behind the closing brace of each opening one, by the place of that; those that nothing closes lack."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for found in _BRACE.finditer(body):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            pairs[opened.pop()] = found.end()
    return pairs


class _Endings:
    """Finds what closes the round bracket of an entry: the first one behind it that is in no braces."""

    def __init__(self, body: str, pairs: Mapping[int, int]) -> None:
        self._marks = [found.start() for found in _OPENING_OR_ROUND.finditer(body)]
        self._ends: list[int | None] = [None] * (len(self._marks) + 1)
        for number in range(len(self._marks) - 1, -1, -1):
            at = self._marks[number]
            self._ends[number] = at + 1 if body[at] == ")" else self.of(pairs.get(at, at + 1))

    def of(self, at: int) -> int | None:
        """The place behind it, looked for from `at` on; None if there is none."""
        return self._ends[bisect_left(self._marks, at)]


@dataclass(frozen=True, slots=True)
class _Fields:
    """Reads the fields of one entry, which ends at `end`."""

    body: str
    end: int
    pairs: Mapping[int, int]
    strings: Mapping[str, str]

    def read(self, at: int) -> dict[str, str]:
        """The fields from `at` on, by lower case."""
        fields: dict[str, str] = {}
        while (found := _FIELD.match(self.body, at, self.end)) is not None:
            value, at = self._value(found.end())
            fields.setdefault(found[1].lower(), value)
        return fields

    def _value(self, at: int) -> tuple[str, int]:
        """A value and the place behind it; parts that "#" joins are one."""
        parts: list[str] = []
        while at < self.end:
            part, at = self._part(at)
            parts.append(part)
            joined = _JOIN.match(self.body, at, self.end)
            if joined is None:
                break
            at = joined.end()
        return _SPACE.sub(" ", "".join(parts)).strip(), at

    def _part(self, at: int) -> tuple[str, int]:
        mark = self.body[at]
        if mark in '{"':
            beyond = min(self.pairs.get(at, self.end) if mark == "{" else self._quoted(at), self.end)
            return plain_text(self.body[at + 1 : beyond - 1]), beyond
        word = _WORD.match(self.body, at, self.end)
        if word is None:
            return "", self.end
        return self.strings.get(word[0].lower(), word[0]), word.end()

    def _quoted(self, at: int) -> int:
        """The place behind the quotation mark that closes the one at `at`; those in braces are letters."""
        place = at + 1
        while place < self.end and self.body[place] != '"':
            place = self.pairs.get(place, place + (2 if self.body[place] == "\\" else 1))
        return place + 1


# CSL-JSON


def _items(body: str) -> list[_Reference]:
    """The references of an array in CSL-JSON; none if the text is anything else."""
    decoder = json.JSONDecoder()
    at = len(body) - len(body.lstrip("\ufeff \t\r\n"))
    if body[at : at + 1] != "[":
        return []
    found: list[_Reference] = []
    at += 1
    while len(found) < _MOST_REFERENCES:
        between = _BETWEEN.match(body, at)
        at = at if between is None else between.end()
        if body[at : at + 1] != "{":
            break
        try:
            item, end = decoder.raw_decode(body, at)
        except (ValueError, RecursionError):
            return []
        reference = _item(cast("Mapping[str, Any]", item), Span(at, end))
        if reference is None:
            return []
        found.append(reference)
        at = end
    return found


def _item(item: Mapping[str, Any], span: Span) -> _Reference | None:
    """One reference; None for an object of another kind."""
    key, kind = item.get("citation-key") or item.get("id"), item.get("type")
    if not isinstance(key, str | int) or not isinstance(kind, str) or not isinstance(item.get("title", ""), str):
        return None
    if not item.keys() & {"title", "author", "issued", "DOI", "URL", "container-title"}:
        return None
    return _Reference(
        span,
        str(key),
        {
            "title": str(item.get("title", "")),
            "author": " and ".join(_names(item.get("author") or item.get("editor"))),
            "issued": json.dumps(item.get("issued", "")),
            "doi": str(item.get("DOI", "")),
            "url": str(item.get("URL", "")),
        },
    )


def _names(people: object) -> Iterator[str]:
    for person in cast("Sequence[object]", people) if isinstance(people, list) else ():
        if isinstance(person, dict):
            named = cast("Mapping[str, Any]", person)
            parts = [str(named[part]) for part in ("family", "given") if named.get(part)]
            yield ", ".join(parts) or str(named.get("literal", ""))
