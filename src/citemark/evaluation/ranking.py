"""The whole ranking of one question, below the threshold too, as places that each stand for pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citemark.evidence.scopes import ScopeDefaults
from citemark.model.candidates import StoredChunk
from citemark.model.scope import Principal, RequestScope
from citemark.retrieval.question import Question, RankedCandidate, Why
from citemark.services.app_context import AppContext

DEPTH = 100


@dataclass(frozen=True, slots=True)
class Place:
    """One place: the page shown and those that repeat its text word for word, with what made the score."""

    pages: tuple[str, ...]
    section: str
    score: float
    why: Why


async def rank_all(app: AppContext, question: str, depth: int = DEPTH) -> list[Place]:
    """The first `depth` places of a question, one per page, with no threshold and without asking the sources."""
    settings = app.settings
    defaults = ScopeDefaults.of(settings)
    ranking = await app.pipeline.rank(
        Question(
            principal=Principal.local(),
            query=question,
            scope=defaults.apply(RequestScope()),
            depth=depth,
            max_per_doc=1,
            min_score=0.0,
        )
    )
    wanted = [number for place in ranking.candidates for number in (place.chunk_id, *place.same_text)]
    chunks = await app.stores.search.read(ranking.allowed, wanted)
    return [_place(place, chunks) for place in ranking.candidates if place.chunk_id in chunks]


def documents(places: Sequence[Place]) -> list[str]:
    """The documents in order of their first place, repeats right behind the page that stands for them."""
    return list(dict.fromkeys(page for place in places for page in place.pages))


def _place(place: RankedCandidate, chunks: Mapping[int, StoredChunk]) -> Place:
    group = [chunks[number] for number in (place.chunk_id, *place.same_text) if number in chunks]
    return Place(
        pages=tuple(dict.fromkeys(chunk.native_id for chunk in group)),
        section=group[0].section_native_id,
        score=place.score,
        why=place.why,
    )
