"""What was seen, in lines, and whether it is within the bars."""

from collections import Counter
from collections.abc import Iterable
from statistics import median

from tests.cluster.failovers import Failovers

_MEDIAN, _LONGEST = 30.0, 60.0
"""Seconds until questions are answered again after a leader was killed."""


def failover_report(found: Failovers) -> tuple[list[str], bool]:
    """The lines about failovers; False if anything was wrong."""
    usual, longest = found.seconds
    wrong = [line for one in found.each for line in one.wrong]
    later = _sum(one.later for one in found.each)
    errors = _sum(one.errors for one in found.each)
    indexed = [one.indexed for one in found.each]
    lines = [
        f"kills of the leader: {len(found.each)}; questions: {found.questions}, withheld: {found.withheld}",
        f"answered again: median {usual:.1f} s (bar {_MEDIAN:.0f}), longest {longest:.1f} s (bar {_LONGEST:.0f})",
        f"a change made after the kill was found: median {median(indexed):.1f} s, longest {max(indexed):.1f} s",
        f"lost, stale, doubled or otherwise wrong a minute later: {len(wrong)}",
        *(f"  {line}" for line in wrong[:20]),
        f"errors while there was no primary: {errors.total()}",
        *(f"  {count} x {text}" for text, count in errors.most_common(12)),
        f"errors after that: {later.total()}",
        *(f"  {count} x {text}" for text, count in later.most_common(12)),
        f"old handles were told: {sorted({line for one in found.each for line in one.told})}",
    ]
    good = not wrong and not later and usual <= _MEDIAN and longest <= _LONGEST
    return lines, good


def _sum(counts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total += each
    return total
