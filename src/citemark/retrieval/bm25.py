"""BM25 weights of a question, planned in two phases.

k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, 2009); the statements of the store carry the same numbers.
"""

from collections import defaultdict
from collections.abc import Sequence
from math import log

from citemark.model.candidates import QueryTerm, SparsePlan, WeightedTerms
from citemark.model.sources import Fence

K1 = 1.2
_RARE_POSTINGS = 10_000
_RARE_SHARE = 0.08


def idf(chunks: int, df: int) -> float:
    """How much a term tells: ln(1 + (N - df + 0.5) / (df + 0.5)), always positive."""
    return log(1 + (max(chunks, df) - df + 0.5) / (df + 0.5))


def plan_sparse(terms: Sequence[QueryTerm], fence: Fence) -> SparsePlan | None:
    """Terms split into rare ones, which find candidates, and frequent ones, which are only added to them.

    Counts are those of the fence, so a question never learns from what it may not see. None when no term of the
    question stands anywhere in it.
    """
    by_lexeme: dict[str, list[QueryTerm]] = defaultdict(list)
    for term in terms:
        by_lexeme[term.lexeme].append(term)
    counts = {lexeme: sum(term.df for term in found) for lexeme, found in by_lexeme.items()}
    weights = {lexeme: idf(fence.chunks, count) for lexeme, count in counts.items()}
    present = sorted((lexeme for lexeme in counts if counts[lexeme] > 0), key=lambda lexeme: (counts[lexeme], lexeme))
    if not present or not fence.chunks:
        return None
    limit = max(_RARE_POSTINGS, _RARE_SHARE * fence.chunks)
    rare: list[str] = []
    postings = 0
    for lexeme in present:
        if rare and postings + counts[lexeme] > limit:
            break
        rare.append(lexeme)
        postings += counts[lexeme]
    often = present[len(rare) :]
    return SparsePlan(
        rare=_weighted(rare, by_lexeme, weights),
        often=_weighted(often, by_lexeme, weights),
        mean_length=max(fence.sum_length / fence.chunks, 1.0),
        # Words that stand nowhere count too: a question full of them is answered by nothing here.
        upper_bound=sum(weights.values()) * (K1 + 1),
    )


def _weighted(
    lexemes: Sequence[str], by_lexeme: dict[str, list[QueryTerm]], weights: dict[str, float]
) -> WeightedTerms:
    rows = [(term, weights[lexeme]) for lexeme in lexemes for term in by_lexeme[lexeme] if term.df > 0]
    return WeightedTerms(
        sources=[term.source_id for term, _ in rows],
        ids=[term.term_id for term, _ in rows],
        idf=[weight for _, weight in rows],
    )
