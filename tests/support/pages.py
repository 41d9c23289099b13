"""Pages for tests of the store: a Markdown text cut at its headings, one chunk per section."""

import re
from hashlib import blake2b

from citemark.model.documents import DocumentKey, StatedRelationship
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.pages import Page, PageChunk, PageSection
from citemark.model.text import Section, Span, lines_of
from citemark.store.analysis import lexical

_HEADING = re.compile(r"^(#+) +(.+)$", re.MULTILINE)


def digest(*parts: str) -> bytes:
    return blake2b("\x00".join(parts).encode(), digest_size=32).digest()


def page_of(
    source_id: int,
    native_id: str,
    body: str,
    *,
    version: str | None = None,
    title: str | None = None,
    tags: tuple[str, ...] = (),
    language: str = "english",
    relationships: tuple[StatedRelationship, ...] = (),
) -> Page:
    """The page of a text; its version is a hash of the text unless given."""
    title = title or native_id
    sections = _sections(body)
    chunks: list[PageChunk] = []
    first = sections[0].span.start if sections else len(body)
    for slug, span in [(None, Span(0, first)), *((section.slug, section.span) for section in sections)]:
        text = span.of(body)
        if text.strip():
            chunks.append(_chunk(len(chunks), slug, span, body, title))
    return Page(
        key=DocumentKey(SourceId(source_id), "docs_page", NativeId(native_id)),
        section_type="section",
        version=Version(version or digest(body).hex()[:12]),
        modified_at=None,
        title=title,
        body=body,
        content_hash=digest(title, body),
        url=None,
        language=language,
        tags=tags,
        sections=tuple(PageSection(section, digest(section.span.of(body))) for section in sections),
        chunks=tuple(chunks),
        relationships=relationships,
    )


def _sections(body: str) -> list[Section]:
    found = list(_HEADING.finditer(body))
    ends = [*(match.start() for match in found[1:]), len(body)] if found else []
    sections: list[Section] = []
    taken: dict[str, int] = {}
    for match, end in zip(found, ends, strict=True):
        slug = match.group(2).strip().lower().replace(" ", "-")
        taken[slug] = taken.get(slug, 0) + 1
        if taken[slug] > 1:
            slug = f"{slug}~{taken[slug]}"
        name = match.group(2).strip()
        sections.append(Section(slug, name, (name,), len(match.group(1)), Span(match.start(), end), None))
    return sections


def _chunk(ordinal: int, slug: str | None, span: Span, body: str, title: str) -> PageChunk:
    text = span.of(body)
    return PageChunk(
        ordinal=ordinal,
        section=slug,
        span=span,
        lines=lines_of(body, span),
        context=title,
        text=text,
        lexical=lexical(f"{title}\n{text}"),
        text_hash=digest(" ".join(text.split())),
        embed_hash=digest(title, text),
        size=len(text),
    )
