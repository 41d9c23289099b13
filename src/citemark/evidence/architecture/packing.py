"""Context for a model: whole contextual chunks, as many as a budget of tokens takes."""

from citemark.evidence.architecture.reading import Reading, Rooms
from citemark.evidence.architecture.requests import ContextRequest
from citemark.evidence.architecture.results import BETWEEN, Context, Packed
from citemark.evidence.architecture.scoring import element_score, passage_score
from citemark.evidence.architecture.searching import context_of, filters_of, parts_of
from citemark.evidence.architecture.wording import without_relationships
from citemark.evidence.budget import LimitReason
from citemark.evidence.requests import Asker
from citemark.evidence.tokens import bytes_len, tokens_of_bytes
from citemark.model.errors import BudgetExceeded
from citemark.retrieval.question import Permitted, Question

_SMALLEST = 60
"""Tokens below which no chunk is looked for any more."""

_DEPTH = 120
_BATCH = 20
_MAX_PER_ELEMENT = 4


class ContextPacking:
    """Finds chunks for a question and packs them."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def pack(self, asker: Asker, request: ContextRequest) -> Context:
        """The best chunks that fit together, in the order of their relevance; none is cut.

        Raises:
            BudgetExceeded: chunks answer, and not even one fits.
            InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        reading = await self._rooms.read(asker, request.reach, metadata=request.metadata)
        ranking = await self._rooms.pipeline.rank(
            Question(
                principal=asker.principal,
                query=request.query,
                scope=reading.scope,
                filters=filters_of(reading.metadata),
                read_context=request.reach.read_context,
                depth=_DEPTH,
                max_per_doc=_MAX_PER_ELEMENT,
                min_score=passage_score(request.min_score),
            )
        )
        box = _Box(request.max_tokens)
        start: int | None = 0 if ranking.places else None
        withheld = 0
        while start is not None and (start == 0 or box.room >= _SMALLEST):
            page = await self._rooms.pipeline.page(
                asker.principal, reading.fence, ranking.places, start=start, size=_BATCH
            )
            await self._put(reading, page.hits, request, box)
            start, withheld = page.next_place, withheld + page.withheld
        if box.refused and not box.pieces:
            raise BudgetExceeded(
                f"The smallest chunk that answers has {box.refused} tokens; ask with a larger max_tokens.",
                needed_tokens=box.refused,
            )
        unread = 0 if start is None else len(ranking.places) - start
        left_out = box.left_out + unread
        empty = None
        if not box.pieces:
            empty = await reading.explain_empty(request.query, filters_of(reading.metadata), withheld)
        reason: LimitReason = "token_cap" if left_out else "none"
        frame = reading.frame(withheld=withheld, reason=reason, notes=ranking.notes, empty=empty)
        return Context(tuple(box.pieces), left_out, frame)

    async def _put(self, reading: Reading, hits: tuple[Permitted, ...], request: ContextRequest, box: "_Box") -> None:
        for hit, part in zip(hits, await parts_of(reading, hits), strict=True):
            if part is not None:
                text = context_of(hit.chunk)
                if not request.relationships:
                    text = without_relationships(text)
                box.put(Packed(part, reading.cite(hit.chunk), element_score(hit.place.score), text.strip()))


class _Box:
    """Takes whole pieces while they fit; a piece that does not may be followed by a smaller one that does."""

    def __init__(self, max_tokens: int) -> None:
        self.pieces: list[Packed] = []
        self.left_out = 0
        self.refused = 0
        self._max_tokens = max_tokens
        self._bytes = 0

    @property
    def room(self) -> int:
        """Tokens that are left."""
        return self._max_tokens - tokens_of_bytes(self._bytes)

    def put(self, piece: Packed) -> None:
        """Take a piece, or count it as left out."""
        size = bytes_len(piece.text) + (bytes_len(BETWEEN) if self.pieces else 0)
        if tokens_of_bytes(self._bytes + size) > self._max_tokens:
            self.left_out += 1
            needed = tokens_of_bytes(size)
            self.refused = min(self.refused or needed, needed)
            return
        self._bytes += size
        self.pieces.append(piece)
