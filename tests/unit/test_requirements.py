"""The manifest of requirements and the tests name each other."""

import re
from collections import Counter
from pathlib import Path

import pytest
from tests.requirements import ISSUES, REQUIREMENTS, Requirement, Status, report
from tests.requirements_data.citations import NothingToOpen, address, opened
from tests.requirements_data.form import met, out_of_scope, planned
from tests.requirements_data.marks import Mark, marks_in, marks_under
from tests.requirements_data.report import ripe

TESTS = Path(__file__).resolve().parents[1]
RULINGS = {
    *(f"P{n}" for n in range(1, 14)),
    "P6a",
    "P6b",
    *(f"R{n}" for n in range(1, 26)),
    *(f"N{n}" for n in range(1, 15)),
    *(f"TOOLS {family}" for family in ("common", "kb", "graph", "nc", "architecture", "legacy")),
    "Later, or not at all",
}


@pytest.fixture(scope="module")
def marks() -> tuple[Mark, ...]:
    return marks_under(TESTS)


def in_plain_words(name: str) -> bool:
    """Whether a name is made of lower-case words with hyphens and says nothing of documents, rulings and issues."""
    words = re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    return words is not None and re.search(r"^([irpn]|issue-?|adr-?|kb-|win-)\d|\b535\b", name) is None


def unproven(requirements: tuple[Requirement, ...], marks: tuple[Mark, ...]) -> list[str]:
    marked = {mark.requirement for mark in marks if mark.test}
    return [
        r.id for r in requirements if r.status in {Status.MET, Status.MISSED} and r.id not in marked and not r.tests
    ]


def incomplete(requirements: tuple[Requirement, ...]) -> list[str]:
    """Entries that do not say what their status calls for."""
    wrong: list[str] = []
    for entry in requirements:
        match entry.status:
            case Status.MET | Status.PLANNED:
                fine = entry.issue in ISSUES and entry.ruling in {"", *RULINGS}
            case Status.MISSED:
                fine = entry.issue in ISSUES and bool(entry.ruling)
            case Status.OVERRULED:
                fine = entry.ruling in RULINGS and entry.issue is None
            case Status.OUT_OF_SCOPE:
                fine = bool(entry.ruling) and entry.issue is None
        if not fine:
            wrong.append(entry.id)
    return wrong


def test_no_two_clauses_share_an_id() -> None:
    assert [ident for ident, times in Counter(r.id for r in REQUIREMENTS).items() if times > 1] == []


@pytest.mark.requirement("clauses-have-names-in-plain-words")
def test_every_clause_has_a_name_in_plain_words() -> None:
    assert [r.id for r in REQUIREMENTS if not in_plain_words(r.id)] == []


@pytest.mark.parametrize(
    "code",
    [
        "i4-5-behind",
        "i12-load",
        "issue-17-part-2",
        "R99",
        "P98",
        "P6a",
        "N5-woken",
        "r5-filters",
        "win-1-index",
        "535-3.4-listed",
        "words-of-535",
        "kb-10.4-scope",
        "kb-1-name",
        "adr008-call",
        "adr-9-scope",
    ],
)
def test_a_name_that_says_where_a_clause_stood_is_refused(code: str) -> None:
    assert not in_plain_words(code)


@pytest.mark.parametrize("name", ["kb-search-default-hits", "welcome", "damaged-utf-8-is-utf-8", "rows-have-intervals"])
def test_a_name_that_says_what_a_clause_asks_is_accepted(name: str) -> None:
    assert in_plain_words(name)


def test_every_clause_is_a_sentence_with_a_source() -> None:
    assert [r.id for r in REQUIREMENTS if not (r.source and r.clause.endswith(".") and r.clause[:1].strip())] == []


def test_every_clause_says_what_its_status_calls_for() -> None:
    assert incomplete(REQUIREMENTS) == []


def test_every_ruling_has_a_clause_of_its_own() -> None:
    sources = {source for r in REQUIREMENTS for source in (r.source, *r.also)}
    assert [r for r in RULINGS if r[0] in "PRN" and r[1:2].isdigit() and f"DECISIONS {r}" not in sources] == []


@pytest.mark.requirement("clauses-cite-what-can-be-opened")
def test_every_citation_leads_to_a_heading_on_a_page() -> None:
    """`address` refuses what it cannot find, so what is listed here needs a sentence under docs/founding."""
    missing: set[str] = set()
    for source in {source for r in REQUIREMENTS for source in (r.source, *r.also)}:
        try:
            address(source)
        except NothingToOpen:
            missing.add(source)
    assert sorted(missing) == []


def test_no_clause_cites_a_source_twice() -> None:
    assert [r.id for r in REQUIREMENTS if len({r.source, *r.also}) != 1 + len(r.also)] == []


def test_an_address_has_the_fragment_that_hosts_make_of_a_heading() -> None:
    assert address("KB 4.6.1") == "docs/founding/tool-calls.md#kb-461-how-quotes-are-chosen"
    assert address("DECISIONS P6a") == "docs/founding/rulings.md#p6a-null-and-numbers"
    assert address("issue-7 part 3") == address("issue-7") == "docs/founding/issues.md#issue-7-clients-and-truth"


@pytest.mark.parametrize("source", ["KB 99", "issue-99 part 1", "HEARSAY 1", "DECISIONS", "issue-7x"])
def test_a_source_that_nobody_can_open_is_refused(source: str) -> None:
    with pytest.raises(NothingToOpen, match="docs/founding"):
        address(source)


def test_the_report_of_a_clause_says_what_it_says_and_where_to_open_its_sources() -> None:
    entry = next(r for r in REQUIREMENTS if len(r.also) > 1)
    lines = list(report([entry.id]))
    assert lines[0] == entry.clause
    assert [tuple(line.rsplit(maxsplit=1)) for line in lines[2:]] == [
        (source, place) for source, place in opened(entry)
    ]
    assert next(iter(report(["no-such-clause"]))).startswith("usage")


@pytest.mark.requirement("clauses-and-tests-name-each-other")
def test_every_marker_names_a_clause(marks: tuple[Mark, ...]) -> None:
    known = {r.id for r in REQUIREMENTS}
    assert [f"{m.place}: {m.requirement}" for m in marks if m.requirement not in known] == []


def test_every_marker_sits_on_a_test(marks: tuple[Mark, ...]) -> None:
    assert [m.place for m in marks if m.test is None] == []


@pytest.mark.requirement("clauses-and-tests-name-each-other")
def test_every_met_clause_is_named_by_a_test(marks: tuple[Mark, ...]) -> None:
    assert unproven(REQUIREMENTS, marks) == []


def test_every_test_named_without_a_marker_exists() -> None:
    missing: list[str] = []
    for requirement in REQUIREMENTS:
        for proof in requirement.tests:
            path, _, name = proof.partition("::")
            file = TESTS.parent / path
            if not file.exists() or (name and name.rsplit("::", 1)[-1] not in file.read_text(encoding="utf-8")):
                missing.append(f"{requirement.id}: {proof}")
    assert missing == []


def test_a_met_clause_without_a_test_is_found() -> None:
    entries = (
        met("a", "S 1", 2, "It is so."),
        met("b", "S 1", 2, "It is so."),
        planned("c", "S 1", 2, "It will be so."),
    )
    assert unproven(entries, (Mark("a", "test_x.py::test_a", "test_x.py:1"),)) == ["b"]
    assert unproven(entries, (Mark("b", None, "test_x.py:1"),)) == ["a", "b"]


def test_an_entry_without_issue_or_reason_is_found() -> None:
    entries = (planned("a", "S 1", 99, "It will be so."), out_of_scope("b", "S 1", "", "It will not be so."))
    assert incomplete(entries) == ["a", "b"]


def test_marks_are_read_from_decorators_classes_modules_and_parameters() -> None:
    text = """
import pytest
pytestmark = [pytest.mark.requirement("whole-file")]

@pytest.mark.requirement("one", "two")
def test_a(): ...

class TestB:
    pytestmark = pytest.mark.requirement("whole-class")

    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("row"))])
    async def test_c(self, x): ...

@pytest.mark.requirement("astray")
def helper(): ...

@pytest.mark.requirement(NAME)
def test_d(): ...
"""
    found = {(mark.requirement, mark.test) for mark in marks_in(text, "t.py")}
    assert found == {
        ("whole-file", "t.py"),
        ("one", "t.py::test_a"),
        ("two", "t.py::test_a"),
        ("whole-class", "t.py"),
        ("row", "t.py::test_c"),
        ("astray", None),
        (None, "t.py::test_d"),
    }


def test_the_report_counts_every_clause_once() -> None:
    table = [line.split() for line in report()]
    totals = next(row for row in table if row[0] == "all")
    assert int(totals[-1]) == len(REQUIREMENTS)


@pytest.mark.parametrize("issue", sorted(ISSUES))
def test_the_report_lists_the_planned_clauses_of_an_issue(issue: int) -> None:
    owed = [r.id for r in REQUIREMENTS if r.status is Status.PLANNED and r.issue == issue]
    assert [line.split()[0] for line in report([str(issue)])] == owed


def test_a_planned_clause_that_a_test_names_is_reported() -> None:
    entries = (planned("a", "S 1", 2, "It will be so."), planned("b", "S 1", 2, "It will be so."))
    assert list(ripe(entries, [Mark("b", "test_x.py::test_b", "test_x.py:1"), Mark("a", None, "test_x.py:9")])) == ["b"]
