"""The manifest as a person wants to see it: counts, and what an issue still owes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tests.requirements_data.citations import opened
from tests.requirements_data.form import ISSUES, Requirement, Status
from tests.requirements_data.marks import Mark


def counts(requirements: Iterable[Requirement]) -> Iterator[str]:
    """Yield a table of entries per family and status."""
    table = Counter((entry.family, entry.status) for entry in requirements)
    families = sorted({family for family, _ in table})
    yield _row("source", [*(status.value for status in Status), "all"])
    for family in families:
        numbers = [table[family, status] for status in Status]
        yield _row(family, [*numbers, sum(numbers)])
    totals = [sum(table[family, status] for family in families) for status in Status]
    yield _row("all", [*totals, sum(totals)])


def owed(requirements: Iterable[Requirement]) -> Iterator[str]:
    """Yield how many planned clauses each issue has."""
    table = Counter(entry.issue for entry in requirements if entry.status is Status.PLANNED)
    for issue, title in sorted(ISSUES.items()):
        yield f"issue {issue or '-'} ({title}): {table[issue]} planned"


def planned_of(requirements: Iterable[Requirement], issue: int) -> Iterator[str]:
    """Yield the planned clauses of one issue, a line each."""
    for entry in requirements:
        if entry.status is Status.PLANNED and entry.issue == issue:
            ruling = f" [{entry.ruling}]" if entry.ruling else ""
            yield f"{entry.id:<32} {entry.source:<24} {entry.clause}{ruling}"


def explained(entry: Requirement) -> Iterator[str]:
    """Yield what one clause says, how it stands, and where each of its sources can be opened."""
    yield entry.clause
    yield entry.status.value + (f" [{entry.ruling}]" if entry.ruling else "")
    yield from (f"{source:<24} {place}" for source, place in opened(entry))


def ripe(requirements: Iterable[Requirement], marks: Iterable[Mark]) -> Iterator[str]:
    """Yield the planned clauses that tests name already: they wait to be called met."""
    marked = {mark.requirement for mark in marks if mark.test}
    yield from (entry.id for entry in requirements if entry.status is Status.PLANNED and entry.id in marked)


def _row(name: str, cells: Sequence[str | int]) -> str:
    return f"{name:<12}" + "".join(f"{cell:>14}" for cell in cells)
