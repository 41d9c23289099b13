"""Sections to chunks: blocks packed evenly, whole where they fit, never across a section's border."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from citemark.embedding.contract import Tokenizer
from citemark.extraction.lines import LineIndex
from citemark.indexing.cutting import Piece, WordPieceCount, cut
from citemark.model.chunks import ChunkDraft
from citemark.model.text import Block, BlockKind, Extracted, Section, Span

MAX_TOKENS = 230
_MAX_CONTEXT = 60
_SEPARATOR = " > "


def chunk_document(extracted: Extracted, tokenizer: Tokenizer, *, max_tokens: int = MAX_TOKENS) -> list[ChunkDraft]:
    """The chunks of a document, in order.

    Context and text of a chunk have at most `max_tokens` word pieces together. Every character of every block is in
    exactly one chunk, but for front matter and for headings with nothing but subsections below them: those words stand
    in the context of what follows.
    """
    if not extracted.blocks:
        return []
    starts = [section.span.start for section in extracted.sections]
    places = [bisect_right(starts, block.span.start) - 1 for block in extracted.blocks]
    contexts = _contexts(extracted, tokenizer)
    body_pieces, *_ = tokenizer.offsets([extracted.body])
    count = WordPieceCount(body_pieces)
    lines = LineIndex(extracted.body)
    chunks: list[ChunkDraft] = []
    for place, blocks in _grouped(places, extracted.blocks):
        if _says_nothing(extracted.sections, place, blocks):
            continue
        context, cost = contexts[place]
        room = max(max_tokens - cost, max_tokens // 4)
        pieces = [piece for block in blocks for piece in cut(extracted.body, block, count, room)]
        for packed in _pack(pieces, room):
            span = Span(packed[0].span.start, packed[-1].span.end)
            head = next((piece.head for piece in packed if piece.head), "")
            chunks.append(
                ChunkDraft(
                    ordinal=len(chunks),
                    section=None if place < 0 else extracted.sections[place].slug,
                    span=span,
                    lines=lines.of(span),
                    text=span.of(extracted.body),
                    context="\n".join(part for part in (context, head) if part),
                )
            )
    return chunks


def _says_nothing(sections: Sequence[Section], place: int, blocks: Sequence[Block]) -> bool:
    """A heading right above its first subsection."""
    bare = all(block.kind is BlockKind.HEADING for block in blocks)
    return bare and 0 <= place < len(sections) - 1 and sections[place + 1].level > sections[place].level


def _grouped(places: Sequence[int], blocks: Sequence[Block]) -> Iterator[tuple[int, list[Block]]]:
    group: list[Block] = []
    at = -1
    for place, block in zip(places, blocks, strict=True):
        if place != at and group:
            yield at, group
            group = []
        at = place
        if block.kind is not BlockKind.FRONT_MATTER:
            group.append(block)
    if group:
        yield at, group


def _contexts(extracted: Extracted, tokenizer: Tokenizer) -> dict[int, tuple[str, int]]:
    """Per section (-1: above the first): what is said around its chunks, and its cost in word pieces."""
    described = extracted.metadata.get("description", "")
    texts = [f"{extracted.title}\n{described}" if described else extracted.title]
    for section in extracted.sections:
        path = [part for part in section.heading_path if part != extracted.title]
        texts.append(_SEPARATOR.join([extracted.title, *path]))
    found: dict[int, tuple[str, int]] = {}
    for place, (text, pieces) in enumerate(zip(texts, tokenizer.offsets(texts), strict=True), start=-1):
        if len(pieces) > _MAX_CONTEXT:
            text = text[: pieces[_MAX_CONTEXT - 1][1]]  # noqa: PLW2901 - the same text, shortened
        found[place] = (text, min(len(pieces), _MAX_CONTEXT))
    return found


def _pack(pieces: Sequence[Piece], room: int) -> Iterator[list[Piece]]:
    """Neighbours together, up to `room` word pieces, in runs of about the same size."""
    total = sum(piece.cost for piece in pieces)
    target = total / max(1, -(-total // room))
    packed: list[Piece] = []
    size = 0
    for piece in pieces:
        cost = piece.cost + piece.head_cost
        full = size + cost > room or (size >= target and not _only_headings(packed))
        if packed and (full or (piece.head and size)):
            yield packed
            packed, size = [], 0
        packed.append(piece)
        size += cost
    if packed:
        yield packed


def _only_headings(packed: Sequence[Piece]) -> bool:
    return all(piece.kind is BlockKind.HEADING for piece in packed)
