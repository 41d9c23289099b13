"""Documents in the order of their own dates, for questions that ask for the latest of them."""

from collections.abc import Mapping, Sequence

from citemark.model.stated_dates import moment_of
from citemark.retrieval.question import RankedCandidate

ABOUT_EQUAL = 0.85
"""Share of the best relevance from which documents are about the same thing, as for dated things (occasions.py)."""


def about_equal(candidates: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    """Those that are about as relevant as the best one and share a word with the question."""
    least = ABOUT_EQUAL * max((each.why.relevance for each in candidates), default=0.0)
    return [each for each in candidates if each.why.relevance >= least and each.why.shares_words]


def newest_first(candidates: Sequence[RankedCandidate], dates: Mapping[int, str]) -> list[RankedCandidate]:
    """The candidates, the dated ones among the most relevant in front, newest first; scores stay with their passages.

    Args:
        candidates: best first.
        dates: the date that a document gives itself, by chunk id, for those that give one.
    """
    dated = [each for each in about_equal(candidates) if dates.get(each.chunk_id)]
    newest = sorted(dated, key=lambda each: moment_of(dates[each.chunk_id]), reverse=True)
    moved = {each.chunk_id for each in newest}
    return [*newest, *(each for each in candidates if each.chunk_id not in moved)]
