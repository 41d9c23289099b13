"""Which texts repeat a pattern, and need no vector for each of their passages."""

from random import Random

import pytest

from citemark.indexing.repeated_patterns import repeats_patterns

_RANDOM = Random(3)
_WORDS = [
    "the",
    "plan",
    "of",
    "a",
    "boat",
    "that",
    "left",
    "its",
    "harbour",
    "in",
    "spring",
    "and",
    "came",
    "back",
    "with",
    "wood",
    "for",
    "the",
    "mill",
]


def _sentence() -> str:
    return " ".join(_RANDOM.choices(_WORDS, k=_RANDOM.randint(4, 30))).capitalize() + "."


LOG = [
    f"2026-11-25T10:{n % 60:02}:17Z {_RANDOM.choice(['INFO', 'WARN'])} worker-{n % 7} finished job {n} in {n % 90} ms"
    for n in range(500)
]
TABLE = [f"{n},{n * 7 % 13}.{n % 10},{n % 3},EUR" for n in range(900)]
HEX = [f"{n:08x}: {n:032x}" for n in range(400)]
PROSE = [f"In {1900 + n % 100}, {_sentence()}" for n in range(500)]
MINUTES = [f"- [ ] {_sentence()}" for _ in range(500)]


@pytest.mark.requirement("long-log-has-limited-vectors")
@pytest.mark.parametrize(
    ("lines", "repeats"),
    [(LOG, True), (TABLE, True), (HEX, True), (PROSE, False), (MINUTES, False), (LOG[:20], False), ([], False)],
    ids=["log", "table", "dump", "prose", "list", "short", "empty"],
)
def test_logs_dumps_and_tables_of_figures_are_told_from_what_people_wrote(lines: list[str], *, repeats: bool) -> None:
    assert repeats_patterns(lines) is repeats


@pytest.mark.parametrize(("others", "repeats"), [(42, True), (44, False)])
def test_lines_of_a_pattern_are_counted_wherever_they_stand_among_others(others: int, *, repeats: bool) -> None:
    entries = [f"{n}, job {n}; done | in {n} ms".ljust(100, ".") for n in range(100)]
    prose = [f"In {n} {'x' * n}".ljust(100, "y") for n in range(others)]
    mixed = [line for pair in zip(entries, prose + [""] * 100, strict=False) for line in pair]
    assert repeats_patterns(mixed) is repeats


def test_a_pattern_of_fewer_than_ten_lines_is_none_however_alike_their_signs_are() -> None:
    lines = [f"{kind * 90} {n} {kind * 90}" for kind in "abcdefg" for n in range(9)]
    assert not repeats_patterns(lines)
    assert repeats_patterns([*lines, *(f"{kind * 90} 9 {kind * 90}" for kind in "abcdefg")])
