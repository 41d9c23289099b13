"""The edges that a document's own structure gives: its name, folder and labels, and what its headings and code name."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from citemark.indexing.stated_facts import labels_of
from citemark.model.documents import PATH_KEY, Fetched, StatedRelationship
from citemark.model.graph import (
    DEFINES,
    FOLDER,
    FORM,
    HAS_LABEL,
    IN_FOLDER,
    NAMED,
    USES_CODE,
    Entity,
    EntityKind,
    name_of,
    term_of,
)
from citemark.model.ids import NativeId
from citemark.model.text import Block, BlockKind, Extracted, Section, Span

_CODE = re.compile(r"(?<!`)`([^`\n]{2,80})`(?!`)")
_IDENTIFIER = re.compile(r"[A-Za-z_$@/.-][\w$.:/@-]*(?:\(\))?", re.ASCII)
_TELLING = re.compile(r"[._/:$@-]|[a-z][A-Z]|\(\)|\d")
"""What distinguishes a name in code from a word that is merely formatted as code."""

_SHORTEST = 3
_MOST_CODE = 32
"""Names in code per section: a list of hundreds of options says nothing about any of them."""

_MOST_WORDS = 10
"""The most words of a heading that is a name; the longest ones in real documentation have eight."""

_MOST_ALIASES = 32
"""Further names of one page; more are a list of words."""

_FOLDER_KEY = "folder"
"""The metadata key under which a model states the folder of an element or view."""


def entity_edges(fetched: Fetched, page_type: str) -> Iterator[StatedRelationship]:
    """Yield edges to a document's name, folder and labels, and to what its sections define and use.

    Args:
        fetched: the document as its source gave it.
        page_type: the type of the documents whose native id is a path.
    """
    extracted = fetched.extracted
    top = Span(0, len(extracted.body.partition("\n")[0]))
    named = term_of(extracted.title)
    if named is not None:
        yield _entity_edge(NAMED, None, named, top)
    yield from _alias_edges(extracted, named)
    folder = _folder_of(fetched, page_type)
    if folder:
        yield StatedRelationship(IN_FOLDER, None, NativeId(folder), None, top, metadata={"doc_type": FOLDER})
    for label in _labels_of(fetched):
        yield _entity_edge(HAS_LABEL, None, Entity(EntityKind.LABEL, label), top)
    for section in extracted.sections:
        line = Span(section.span.start, section.span.start + len(section.span.of(extracted.body).partition("\n")[0]))
        term = term_of(section.title)
        if term is not None and term != named and not _is_sentence(section.title):
            yield _entity_edge(DEFINES, section.slug, term, line)
        code = name_of(section.title)
        if is_code_name(code):
            yield _entity_edge(DEFINES, section.slug, Entity(EntityKind.CODE, code), line)
    yield from _code_edges(extracted.body, extracted.blocks, extracted.sections)


def _alias_edges(extracted: Extracted, named: Entity | None) -> Iterator[StatedRelationship]:
    """Further names of a page, each once, where its properties state it; `form` is the name as it is written."""
    seen = {named}
    for alias in extracted.aliases[:_MOST_ALIASES]:
        term = term_of(alias)
        if term is None or term in seen:
            continue
        seen.add(term)
        at = max(0, extracted.body.find(alias))
        span = Span(at, min(len(extracted.body), at + len(alias)))
        yield StatedRelationship(NAMED, None, None, None, span, metadata={FORM: name_of(alias)}, to_entity=term)


def _is_sentence(heading: str) -> bool:
    """Whether a heading makes a statement instead of naming something."""
    return heading.rstrip("*_ ").endswith((".", "?", "!")) or len(heading.split()) > _MOST_WORDS


def _entity_edge(kind: str, section: str | None, entity: Entity, span: Span) -> StatedRelationship:
    return StatedRelationship(kind, section, None, None, span, to_entity=entity)


def _folder_of(fetched: Fetched, page_type: str) -> str:
    """The folder that holds a document, or "" if there is none."""
    stated = fetched.metadata.get(_FOLDER_KEY)
    if stated:
        return stated.split("\n", 1)[0].strip("/")
    path = fetched.metadata.get(PATH_KEY) or (fetched.native_id if fetched.doc_type == page_type else "")
    folder = str(PurePosixPath(path.strip("/")).parent)
    return "" if folder == "." else folder


def _labels_of(fetched: Fetched) -> list[str]:
    """The labels that people put on a document, each once, regardless of case."""
    return sorted({label.strip().casefold() for label in labels_of(fetched) if label.strip()})


def _code_edges(body: str, blocks: tuple[Block, ...], sections: tuple[Section, ...]) -> Iterator[StatedRelationship]:
    """The names that appear in code within running text, each once per section."""
    if "`" not in body:
        return
    place, stated = 0, -1
    seen: set[str] = set()
    for block in blocks:
        if block.kind is BlockKind.CODE:
            continue
        for match in _CODE.finditer(body, block.span.start, block.span.end):
            while place < len(sections) and sections[place].span.end <= match.start():
                place += 1
            inside = place < len(sections) and sections[place].span.start <= match.start()
            if stated != (place if inside else -1):
                stated = place if inside else -1
                seen = set()
            name = match[1].strip()
            if name in seen or len(seen) >= _MOST_CODE or not is_code_name(name):
                continue
            seen.add(name)
            slug = sections[place].slug if inside else None
            yield _entity_edge(USES_CODE, slug, Entity(EntityKind.CODE, name), Span(match.start(1), match.end(1)))


def is_code_name(text: str) -> bool:
    """Whether a piece of code is a name that other texts may use too, rather than an expression or a plain word."""
    return len(text) >= _SHORTEST and _IDENTIFIER.fullmatch(text) is not None and _TELLING.search(text) is not None
