"""Context for a question about models: whole contextual chunks, as many as fit a budget of tokens.

Consecutive chunks of one element are one piece with one citation: each element says little, and a citation of every
chunk would take more room than the chunks.
"""

from dataclasses import dataclass, replace
from itertools import takewhile

from citemark.evidence.budget import LimitReason, bytes_len, tokens_of_bytes
from citemark.features.archimate.services.requests import ContextRequest
from citemark.features.archimate.services.responses import BETWEEN, Context, Packed
from citemark.features.archimate.services.search import context_of, element_score, filters_of, parts_of, passage_score
from citemark.features.archimate.services.visible_models import ModelReader, OpenModels
from citemark.model.architecture import StoredPart
from citemark.model.candidates import StoredChunk
from citemark.model.errors import BudgetExceeded
from citemark.model.text import Lines, Span
from citemark.retrieval.question import Question, VerifiedHit, phrasings_of
from citemark.services.requests import Caller

_RELATES = "It "
_BELONGS = "It belongs to "


def others_end(body: str) -> int:
    """Where the sentences about other elements end in an element's text; they follow the line that says what it is."""
    first, *lines = body.split("\n")
    sentences = takewhile(lambda line: line.startswith(_RELATES), lines)
    return sum(len(line) + _LINE_BREAK for line in (first, *sentences))


def without_others(text: str, start: int, end: int) -> str:
    """Part of an element's text without its sentences about other elements, those about its capabilities excepted.

    Args:
        text: the part.
        start: where it begins in the text of the element.
        end: where the sentences about other elements end there.
    """
    kept: list[str] = []
    for line in text.split("\n"):
        if start == 0 or start >= end or line.startswith(_BELONGS):
            kept.append(line)
        start += len(line) + _LINE_BREAK
    return "\n".join(kept)


_SMALLEST = 60
"""Number of free tokens below which no further chunk is looked for."""

_DEPTH = 400
"""The most chunks that are ranked: ten thousand tokens of the shortest that models have."""

_BATCH = 20
"""Chunks that are verified at a time: about as many as fill a usual budget."""

_LINE_BREAK = 1
"""Characters between two consecutive lines, or chunks, of an element."""

_MAX_PER_ELEMENT = 4
"""The most chunks of one element: a context is about several, and the best parts of a long one are enough."""


class ModelContextService:
    """Finds chunks for a question and packs them."""

    def __init__(self, reader: ModelReader) -> None:
        self._reader = reader

    async def pack(self, caller: Caller, request: ContextRequest) -> Context:
        """The best chunks that fit together, in the order of their relevance; none is cut.

        Raises:
            BudgetExceeded: there are chunks that answer, but not even one fits.
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        opened = await self._reader.read(caller, request.query_scope, metadata=request.metadata)
        ranking = await self._reader.pipeline.rank(
            Question(
                principal=caller.principal,
                query=request.query,
                also=request.also,
                scope=opened.scope,
                filters=filters_of(opened.metadata),
                read_context=request.query_scope.read_context,
                depth=_DEPTH,
                max_per_doc=_MAX_PER_ELEMENT,
                min_score=passage_score(request.min_score),
            )
        )
        box = _Box(request.max_tokens)
        start: int | None = 0 if ranking.candidates else None
        withheld = 0
        while start is not None and (start == 0 or box.room >= _SMALLEST):
            page = await self._reader.pipeline.page(
                caller.principal, opened.allowed, ranking.candidates, start=start, size=_BATCH
            )
            await self._put(opened, page.hits, request, box)
            start, withheld = page.next_start, withheld + page.withheld
        if box.refused and not box.pieces:
            raise BudgetExceeded(
                f"The smallest chunk that answers has {box.refused} tokens; ask with a larger max_tokens.",
                needed_tokens=box.refused,
            )
        unread = 0 if start is None else len(ranking.candidates) - start
        left_out = box.left_out + unread
        empty = None
        if not box.pieces:
            empty = await opened.explain_empty(
                phrasings_of(request.query, request.also), filters_of(opened.metadata), withheld, ranking.absence
            )
        reason: LimitReason = "token_cap" if left_out else "none"
        meta = opened.meta(withheld=withheld, reason=reason, notes=ranking.notes, empty=empty, absence=ranking.absence)
        pieces = tuple(piece.packed(opened) for piece in box.pieces)
        return Context(pieces, left_out, meta, counted_all=len(ranking.candidates) < _DEPTH)

    async def _put(
        self, opened: OpenModels, hits: tuple[VerifiedHit, ...], request: ContextRequest, box: "_Box"
    ) -> None:
        for hit, part in zip(hits, await parts_of(opened, hits), strict=True):
            if part is not None:
                chunk = hit.chunk
                if not request.relationships:
                    start = chunk.span.start
                    # The first chunk shows by itself where the sentences end.
                    body = await self._reader.search.body(chunk.source_id, chunk.revision_id) if start else chunk.text
                    chunk = replace(chunk, text=without_others(chunk.text, start, others_end(body or "")))
                box.put(_Piece(part, element_score(hit.candidate.score), (chunk,)))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Consecutive chunks of one element."""

    part: StoredPart
    relevance: float
    chunks: tuple[StoredChunk, ...]

    @property
    def text(self) -> str:
        """The text that is shown."""
        first, *others = self.chunks
        return "\n".join([context_of(first), *(chunk.text for chunk in others if chunk.text)]).strip()

    @property
    def size(self) -> int:
        """Bytes of the text, including the separator before the next one."""
        return bytes_len(self.text) + bytes_len(BETWEEN)

    def follows(self, other: "_Piece") -> bool:
        """Whether this piece begins where the other ends."""
        last, first = other.chunks[-1], self.chunks[0]
        together = (first.source_id, first.revision_id) == (last.source_id, last.revision_id)
        return together and last.span.end <= first.span.start <= last.span.end + _LINE_BREAK

    def joined(self, after: "_Piece") -> "_Piece":
        """This piece joined with one that follows it, as relevant as the better of the two."""
        relevance = max(self.relevance, after.relevance)
        return replace(self, relevance=relevance, chunks=(*self.chunks, *after.chunks))

    def packed(self, opened: OpenModels) -> Packed:
        """The piece as it appears in the response, with one citation."""
        first, last = self.chunks[0], self.chunks[-1]
        span, lines = Span(first.span.start, last.span.end), Lines(first.lines.start, last.lines.end)
        citation = opened.cite(replace(first, span=span, lines=lines))
        return Packed(self.part, citation, self.relevance, self.text, len(self.chunks))


class _Box:
    """Takes whole chunks while they fit; a chunk that does not fit may be followed by a smaller one that does."""

    def __init__(self, max_tokens: int) -> None:
        self.pieces: list[_Piece] = []
        self.left_out = 0
        self.refused = 0
        self._max_tokens = max_tokens
        self._bytes = -bytes_len(BETWEEN)

    @property
    def room(self) -> int:
        """The number of tokens that are left."""
        return self._max_tokens - tokens_of_bytes(self._bytes)

    def put(self, chunk: _Piece) -> None:
        """Take a chunk, joined with what it follows and what follows it, or count it as left out.

        A joined piece takes the position of the better one of its parts.
        """
        before = next((each for each in self.pieces if chunk.follows(each)), None)
        after = next((each for each in self.pieces if each.follows(chunk)), None)
        piece = chunk if before is None else before.joined(chunk)
        piece = piece if after is None else piece.joined(after)
        replaced = [each for each in (before, after) if each is not None]
        size = self._bytes + piece.size - sum(each.size for each in replaced)
        if tokens_of_bytes(size) > self._max_tokens:
            self.left_out += 1
            needed = tokens_of_bytes(bytes_len(chunk.text))
            self.refused = min(self.refused or needed, needed)
            return
        self._bytes = size
        position = min((self.pieces.index(each) for each in replaced), default=len(self.pieces))
        kept = [each for each in self.pieces if each not in replaced]
        self.pieces = [*kept[:position], piece, *kept[position:]]
