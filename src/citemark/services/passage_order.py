"""Which of the passages that were found are quoted, and in which order, for evidence and for answers alike."""

from collections.abc import Sequence

from citemark.embedding.contract import Embedder
from citemark.evidence.filling import Near, alternated
from citemark.model.candidates import StoredChunk
from citemark.retrieval.question import RankedCandidate, Ranking


def header_of(chunk: StoredChunk) -> str:
    """The header row of the table that a passage goes on with, which indexing keeps on a line of its context."""
    _, parted, repeated = chunk.context.rpartition("\n")
    return repeated if parted and "|" in repeated else ""


def nearness(phrasings: Sequence[str], embedder: Embedder | None) -> Near | None:
    """The cosine of a text and the phrasing that it is nearest to; None without a model."""
    if embedder is None:
        return None

    def near(texts: Sequence[str]) -> list[float]:
        cosines = embedder.embed_documents(texts) @ embedder.embed_queries(phrasings).T
        return [float(value) for value in cosines.max(axis=1)]

    return near


def answering(ranking: Ranking) -> list[RankedCandidate]:
    """The candidates of a ranking, without those that share no word with it and are no nearer than chance is."""
    chance = -1.0 if ranking.chance is None else ranking.chance
    return [
        each
        for each in ranking.candidates
        if each.why.shares_words or each.why.cosine is None or each.why.cosine >= chance
    ]


def in_turn(candidates: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    """Candidates in the order in which the phrasings take turns; as they are where there is one phrasing."""
    if not candidates or not candidates[0].why.relevances:
        return list(candidates)
    return [candidates[place] for place in alternated([each.why.relevances for each in candidates])]
