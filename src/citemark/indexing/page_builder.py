"""Turns a fetched document into a page: cut into chunks, hashed, and in the form that the full-text index reads."""

import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import PurePosixPath
from unicodedata import normalize

from citemark.embedding.contract import Tokenizer
from citemark.indexing.chunking import chunk_document, embedded_text
from citemark.indexing.entity_edges import entity_edges
from citemark.indexing.page_edges import KnownEnds
from citemark.indexing.repeated_patterns import WORDS_FROM, repeats_patterns
from citemark.indexing.stated_facts import dates_of, labels_of
from citemark.model.documents import DocumentKey, Fetched, StatedRelationship
from citemark.model.ids import SourceId
from citemark.model.pages import Page, PageChunk, PageSection
from citemark.model.readers import TextVersion
from citemark.model.stated_dates import StatedDates
from citemark.model.text import ChunkDraft, Extracted
from citemark.model.unread_parts import LEFT_OUT, READ_AS, WORDS_ONLY, in_words
from citemark.sources.file_system import PAGE
from citemark.store.analysis import lexical

TEXT_VERSION = 8
"""The version of what every text goes through once it is read: cutting and analysis. Each reader has its own besides.

Raise it by one with every change to cutting or analysis that produces other chunks or words from the same text. All
pages are then read again after everything that is already waiting; until then the old ones can still be searched.
"""

_TITLE_WEIGHT = 3
"""How often title and headings count in BM25 (+.003 nDCG@10, ADR 33)."""

SECTION = "section"

_SPACES = re.compile(r"[ \t]{2,}|\t")
_LINE_ENDS = re.compile(r" \n ?|\n ")
_BLANK_LINES = re.compile(r"\n{3,}")

_BY_WORDS = f"It repeats one pattern, like a log: after its first {WORDS_FROM} passages it is found by its words only."


def build_page(
    fetched: Fetched,
    source_id: SourceId,
    tokenizer: Tokenizer,
    *,
    language: str,
    made_with: TextVersion | None = None,
    ends: KnownEnds | None = None,
) -> Page:
    """Build everything that one transaction writes for a document; this takes processor time and nothing else.

    Args:
        fetched: the document as its source gave it.
        source_id: the document's source.
        tokenizer: counts the word pieces that chunks are measured in.
        language: the document's language, as the name of a text search configuration.
        made_with: the version of the code that read it and cuts it; None if nobody will compare it.
        ends: what the text may lead to, if that is looked for.
    """
    extracted = fetched.extracted
    drafts = chunk_document(extracted, tokenizer)
    words_from = WORDS_FROM if repeats_patterns(extracted.body.splitlines()) else None
    by_words = {WORDS_ONLY: _BY_WORDS} if words_from is not None and len(drafts) > words_from else {}
    metadata = {**extracted.metadata, **_how_read(extracted), **by_words, **fetched.metadata}
    led_to = () if ends is None else ends.edges_of(extracted)
    dates, days = dates_of(fetched)
    path = fetched.names or _words_of(fetched.metadata.get("Path") or fetched.native_id)
    return Page(
        key=DocumentKey(source_id, fetched.doc_type, fetched.native_id),
        section_type=SECTION,
        version=fetched.version,
        modified_at=fetched.modified_at,
        title=extracted.title,
        body=extracted.body,
        content_hash=digest(
            extracted.title, extracted.body, *_other_content(metadata, dates, extracted.tags, fetched.relationships)
        ),
        url=fetched.url,
        language=language,
        tags=tuple(dict.fromkeys(normalize("NFC", tag) for tag in extracted.tags)),
        sections=tuple(PageSection(section, digest(section.span.of(extracted.body))) for section in extracted.sections),
        chunks=tuple(_page_chunk(draft, path) for draft in drafts),
        relationships=(*fetched.relationships, *entity_edges(fetched, PAGE), *led_to),
        metadata=metadata,
        made_with=made_with or TextVersion(TEXT_VERSION),
        names_number=None if ends is None else ends.number,
        properties=extracted.properties,
        words_from=words_from,
        dates=dates,
        days=days,
        labels=labels_of(fetched),
    )


def _how_read(extracted: Extracted) -> Mapping[str, str]:
    """What a person should know about how the file was read: metadata of the document, and a notice in its problems."""
    known = {LEFT_OUT: in_words(extracted.left_out), READ_AS: extracted.read_as}
    return {key: value for key, value in known.items() if value}


def _words_of(path: str) -> str:
    """The names of the folders and the file, which people search for."""
    whole = PurePosixPath(path)
    return " ".join((whole.with_suffix("") if whole.name else whole).parts)


def _other_content(
    metadata: Mapping[str, str],
    dates: StatedDates | None,
    tags: Sequence[str],
    relationships: Sequence[StatedRelationship],
) -> Iterator[str]:
    """What filters, lists and the graph read besides the text: a change to it makes a new revision of an equal text.

    A series counts as it did when it was metadata, so that pages that were read then have not changed.
    """
    series = {} if dates is None or not dates.series else {"Series": dates.series}
    for key, value in sorted({**metadata, **series}.items()):
        yield from (key, value)
    yield from tags
    for stated in relationships:
        if stated.native_id is not None:
            yield from (stated.native_id, stated.type, stated.to_native_id or "")
            for key, value in sorted(stated.metadata.items()):
                yield from (key, value)
        elif target := stated.to_native_id or stated.to_url:  # the text of a web page or a letter does not contain it
            yield from (stated.type, target)


def same_to_a_model(embedded: str) -> str:
    """The text without indentation, further spaces and further blank lines: texts that differ in them share a vector.

    The bundled model reads words, so their vectors are equal. A text that has none of these stays as it is.
    """
    # Most texts have none: to look for that first costs a fiftieth of what the expressions do.
    if "  " in embedded or "\t" in embedded:
        embedded = _SPACES.sub(" ", embedded)
    if " \n" in embedded or "\n " in embedded:
        embedded = _LINE_ENDS.sub("\n", embedded)
    return _BLANK_LINES.sub("\n\n", embedded) if "\n\n\n" in embedded else embedded


def digest(*parts: str) -> bytes:
    """32 bytes that are equal for equal parts."""
    state = blake2b(digest_size=32)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.digest()


def _told_apart_by(draft: ChunkDraft, heading: str, header: str, path: str) -> list[str]:
    """What distinguishes a chunk from others of equal text: the same row or property says something else elsewhere."""
    if draft.is_row:
        return [header]
    return [heading, path] if draft.is_properties or not draft.text else []


def _page_chunk(draft: ChunkDraft, path: str) -> PageChunk:
    embedded = embedded_text(draft.context, draft.text)
    heading, _, header = draft.context.partition("\n")
    weight = 1 if draft.is_properties else _TITLE_WEIGHT
    titles = "\n".join([*[heading] * weight, *filter(None, [header])])
    names = path if draft.context or not draft.is_properties else ""
    return PageChunk(
        ordinal=draft.ordinal,
        section=draft.section,
        span=draft.span,
        lines=draft.lines,
        context=draft.context,
        text=draft.text,
        lexical=lexical(f"{titles}\n{names}\n{draft.text}"),
        text_hash=digest(*_told_apart_by(draft, heading, header, path), " ".join(draft.text.split())),
        embed_hash=digest(same_to_a_model(embedded)),
        size=len(embedded),
    )
