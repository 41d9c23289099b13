"""What was seen, in lines, and whether it is within the bars."""

import re
from collections import Counter
from collections.abc import Iterable
from statistics import median

from tests.cluster.comparison import CLIENTS, Comparison, Side
from tests.cluster.failovers import Failovers
from tests.cluster.load import Seen

_PASSAGE = re.compile(r"'p_[\w-]+'")
"""The id of a passage in a message."""

_MEDIAN, _LONGEST = 30.0, 60.0
"""Seconds until questions are answered again after a leader was killed."""

_COST, _WAIT, _MOST = 1.3, 2.0, 0.95
"""Processor time of a question, and seconds within which the third of these shares of answers came, in multiples of a
single server's."""


def failover_report(found: Failovers) -> tuple[list[str], bool]:
    """The lines about failovers; False if anything was wrong."""
    usual, longest = found.seconds
    wrong = [line for one in found.each for line in one.wrong]
    later = _sum(one.later for one in found.each)
    errors = _sum(one.errors for one in found.each)
    told = {_PASSAGE.sub("...", line) for one in found.each for line in one.told}
    indexed = [one.indexed for one in found.each]
    lines = [
        f"kills of the leader: {len(found.each)}; questions: {found.questions}",
        f"answers without a document that had just changed: {found.incomplete} say so, {len(found.missed)} do not",
        *(f"  {line}" for line in found.missed[:10]),
        f"answered again: median {usual:.1f} s (bar {_MEDIAN:.0f}), longest {longest:.1f} s (bar {_LONGEST:.0f})",
        f"a change made after the kill was found: median {median(indexed):.1f} s, longest {max(indexed):.1f} s",
        f"lost, stale, doubled or otherwise wrong a minute later: {len(wrong)}",
        *(f"  {line}" for line in wrong[:20]),
        f"errors while there was no primary: {errors.total()}",
        *(f"  {count} x {text}" for text, count in errors.most_common(12)),
        f"errors after that: {later.total()}",
        *(f"  {count} x {text}" for text, count in later.most_common(12)),
        *(f"old handles were told: {text}" for text in sorted(told)),
    ]
    good = not wrong and not later and usual <= _MEDIAN and longest <= _LONGEST
    return lines, good


def _sum(counts: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total += each
    return total


def comparison_report(found: Comparison) -> tuple[list[str], bool]:
    """The lines about the cluster beside a single server; False if a bar is missed."""
    one, many = found.one.per_question(), found.cluster.per_question()
    cost = sum(many.values()) / sum(one.values())
    wait = found.cluster.within(_MOST) / found.one.within(_MOST)
    wrong = [*found.one.seen.wrong, *found.cluster.seen.wrong]
    errors = found.errors()
    lines = [
        (
            f"{CLIENTS} clients; one server, one PostgreSQL: {len(found.one.counted)} questions; "
            f"two servers, the cluster: {len(found.cluster.counted)}"
        ),
        (
            f"processor time of a question: {_ms(sum(one.values()))}, {_ms(sum(many.values()))}: "
            f"{cost:.2f} times (bar {_COST})"
        ),
        *(f"  {part}: {_ms(one.get(part, 0.0))}, {_ms(seconds)}" for part, seconds in many.items()),
        f"of a core without questions: {_idle(found.one)}; {_idle(found.cluster)}",
        f"half of the answers within: {_ms(found.one.within(0.5))}, {_ms(found.cluster.within(0.5))}",
        (
            f"95 % of the answers within: {_ms(found.one.within(_MOST))}, {_ms(found.cluster.within(_MOST))}: "
            f"{wait:.2f} times (bar {_WAIT})"
        ),
        f"rows that replicas read: {found.cluster.replicas:.0%}",
        f"errors: {errors.total()}",
        *(f"  {count} x {text}" for text, count in errors.most_common(12)),
        f"stale or doubled: {len(wrong)}",
        *(f"  {line}" for line in wrong[:20]),
        *(_of_incomplete(name, side.seen) for name, side in (("one", found.one), ("cluster", found.cluster))),
    ]
    return lines, not wrong and not errors and cost <= _COST and wait <= _WAIT


def _of_incomplete(where: str, seen: Seen) -> str:
    missed = len(seen.missed)
    return f"{where}: answers without a document that had just changed: {seen.incomplete} say so, {missed} do not"


def _idle(side: Side) -> str:
    return ", ".join(f"{part} {side.idle.share(part):.1%}" for part in side.parts)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"
