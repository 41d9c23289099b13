"""Turns headings into sections with plain titles, GitHub-style slugs and one path per section."""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from citemark.model.text import Block, BlockKind, Section, Span
from citemark.text.marks import STRUCK
from citemark.text.raised import with_characters

_HASHES = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_CLOSING = re.compile(r"[ \t]#+$")
_OWN_ID = re.compile(r"\s*\{#([\w.:-]+)\}$")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_CODE_OR_ESCAPE = re.compile(r"(`+)([^`]+)\1|\\([!-/:-@\[-`{-~])")
_STARS = re.compile(r"(\*{1,3})(?=\S)([^*]+?)(?<=\S)\1")
_UNDERSCORES = re.compile(r"(?<!\w)(_{1,3})(?=\S)([^_]+?)(?<=\S)\1(?!\w)")
_ANY_MARK = re.compile(r"[`\\<&*_\[^~\ue000\ue001]")
"""Without any of these, inline Markdown is plain text already, as most headings are."""

_NOT_IN_SLUG = re.compile(r"[^a-z0-9 _-]+")
_PUT_ASIDE = re.compile("\ue000(\\d+)\ue001")
_LONGEST_TITLE = 200
"""Most characters of a title; a longer "heading" is a paragraph that its author marked as one."""

_LONGEST_SLUG = 100
"""Most characters of the slug of one heading, which is part of addresses."""

_LONGEST_PATH = 1_500
"""Most bytes of a section's slug in UTF-8: it has to fit into a row of an index, after its page's id (LONGEST_ID)."""

_MOST_SECTIONS = 20_000
"""Most sections of one page; headings beyond them belong to the last section."""


@dataclass(frozen=True, slots=True)
class Heading:
    """The beginning of a section.

    Attributes:
        start: the position of its first character in the body.
        level: 1 for the highest.
        title: the plain text.
        slug: the last part of the section's slug.
        path: its heading path if the headings above it are not sections, as with the outline of a PDF.
    """

    start: int
    level: int
    title: str
    slug: str
    path: tuple[str, ...] | None = None


def sections_of(body: str, blocks: Sequence[Block]) -> tuple[Section, ...]:
    """A section for each heading, up to the next heading of any level, without trailing white space."""
    headings = [block for block in blocks if block.kind is BlockKind.HEADING][:_MOST_SECTIONS]
    return nested(body, [Heading(block.span.start, *read_heading(block.span.of(body))) for block in headings])


_PLACE_TAGS = re.compile(r"</?(?:sup|sub|del|s|strike)\s*>", re.IGNORECASE)
"""Tags that renderers leave out of an anchor with all others; in a title they have a meaning."""

_STRUCK_TAGS = re.compile(r"</?(?:del|s|strike)\s*>", re.IGNORECASE)


def nested(body: str, headings: Sequence[Heading]) -> tuple[Section, ...]:
    """The sections into which `headings`, in the order of their starts, divide `body`."""
    headings = headings[:_MOST_SECTIONS]
    ends = [*(heading.start for heading in headings[1:]), len(body)]
    slug_counts: Counter[str] = Counter()
    above: list[Section] = []
    sections: list[Section] = []
    for heading, end in zip(headings, ends, strict=False):
        while above and above[-1].level >= heading.level:
            above.pop()
        parent = above[-1] if above else None
        path = _path(parent.slug, heading.slug) if parent else heading.slug
        slug_counts[path] += 1
        section = Section(
            slug=path if slug_counts[path] == 1 else f"{path}~{slug_counts[path]}",
            title=heading.title,
            heading_path=heading.path or (*(parent.heading_path if parent else ()), heading.title),
            level=heading.level,
            span=Span(heading.start, heading.start + len(body[heading.start : end].rstrip())),
            parent=parent.slug if parent else None,
        )
        above.append(section)
        sections.append(section)
    return tuple(sections)


def _path(above: str, slug: str) -> str:
    """The slug of a section below another; a hash stands for one above that leaves no room."""
    path = f"{above}/{slug}"
    if len(path.encode("utf-8", "surrogatepass")) <= _LONGEST_PATH:
        return path
    return f"{blake2b(above.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}/{slug}"


def read_heading(raw: str) -> tuple[int, str, str]:
    """Level, plain title and slug of a heading as written (ATX or underlined)."""
    hashes = _HASHES.match(raw)
    if hashes is not None:
        level, text = len(hashes[1]), _CLOSING.sub("", raw[hashes.end() :].rstrip())
    else:
        text, _, underline = raw.rstrip().replace("\r", "\n").rpartition("\n")
        level = 1 if underline.strip().startswith("=") else 2
    text = " ".join(text[: 4 * _LONGEST_TITLE].split()).strip("#" if text.strip("# \t") == "" else "")
    own_id = _OWN_ID.search(text)
    if own_id is not None:
        text = text[: own_id.start()]
    shown = plain(text)
    title = shown[:_LONGEST_TITLE].strip()
    if own_id is not None:
        return level, title, own_id[1][:_LONGEST_SLUG]
    return level, title, slugify(plain(_PLACE_TAGS.sub("", text)) if "<" in text else shown)


def plain(text: str) -> str:
    """Inline Markdown as plain text: without emphasis and code marks, and with the text of links only.

    What changes the meaning stays: the place of raised and lowered figures, and the marks of struck-out words.
    """
    if _ANY_MARK.search(text) is None:
        return " ".join(text.split())
    literals: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        literals.append(match[3] or match[2].strip())
        return f"\ue000{len(literals) - 1}\ue001"

    text = _CODE_OR_ESCAPE.sub(put_aside, text.replace("\ue000", "").replace("\ue001", ""))
    text = _TAG.sub("", _STRUCK_TAGS.sub(STRUCK, with_characters(text)))
    for _ in range(2):
        text = _IMAGE_OR_LINK.sub(r"\1", text)
        text = _STARS.sub(r"\2", text)
        text = _UNDERSCORES.sub(r"\2", text)
    parts = _PUT_ASIDE.split(text)
    parts[::2] = [html.unescape(part) for part in parts[::2]]
    parts[1::2] = [literals[int(number)] for number in parts[1::2]]
    return " ".join("".join(parts).split())


def slugify(title: str) -> str:
    """The anchor that GitHub gives a heading: lower case, letters and digits of any script, spaces as hyphens."""
    if title.isascii():
        return _NOT_IN_SLUG.sub("", title.lower()).replace(" ", "-")[:_LONGEST_SLUG] or "section"
    kept = (
        "-" if character == " " else character
        for character in title.lower()
        if character.isalnum() or character in " -_" or unicodedata.category(character)[0] == "M"
    )
    return "".join(kept)[:_LONGEST_SLUG] or "section"
