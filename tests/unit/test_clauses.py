"""The patches that break clauses fit the source as it is, and the sample of clauses is drawn without a choice."""

from collections import Counter

import pytest
from tests.clauses.breaks import ROOT, Break, NoLongerApplies, breaks, passed_over
from tests.clauses.runs import proofs_of
from tests.clauses.sample import SHARES, drawn, stratum
from tests.requirements import REQUIREMENTS, Status
from tests.requirements_data.form import met, planned
from tests.requirements_data.marks import Mark

MET = {each.id for each in REQUIREMENTS if each.status is Status.MET}
BREAKS = breaks()


@pytest.mark.requirement("fifty-clauses-broken-turn-tests-red")
@pytest.mark.parametrize("patch", BREAKS, ids=lambda patch: patch.clause)
def test_every_patch_applies_to_the_source_as_it_is(patch: Break) -> None:
    text = (ROOT / patch.file).read_text(encoding="utf-8")
    assert patch.applied(text) != text
    assert not {"\n", "\r"} & {*patch.line, *patch.broken}, "a patch changes one line"
    assert not patch.file.startswith(("tests/", "docs/")), "a patch breaks the product, not what checks it"


@pytest.mark.requirement("fifty-clauses-broken-turn-tests-red")
def test_there_is_one_patch_for_each_met_clause() -> None:
    assert [patch.clause for patch in BREAKS if patch.clause not in MET] == []
    assert [clause for clause, times in Counter(patch.clause for patch in BREAKS).items() if times > 1] == []


def test_skipped_clauses_are_met_without_a_patch_and_have_a_reason() -> None:
    assert set(passed_over()) <= MET - {patch.clause for patch in BREAKS}
    assert [ident for ident, reason in passed_over().items() if len(reason.split()) <= 3] == []


@pytest.mark.requirement("fifty-clauses-broken-turn-tests-red")
def test_fifty_met_clauses_are_drawn_from_every_stratum() -> None:
    sample = drawn(REQUIREMENTS, passed_over(), [patch.clause for patch in BREAKS])
    assert len(sample) == len({each.id for each in sample}) == 50
    assert Counter(map(stratum, sample)) == dict(SHARES)
    assert {each.status for each in sample} == {Status.MET}
    assert {each.id for each in sample} <= {patch.clause for patch in BREAKS}


def test_the_draw_depends_neither_on_the_order_of_the_manifest_nor_on_other_clauses() -> None:
    entries = [met(f"kb-{n}", "KB 1", 2, "It is so.") for n in range(20)]
    sample = [each.id for each in drawn(entries, ())]
    assert len(sample) == SHARES["KB"]
    assert [each.id for each in drawn(entries[::-1], ())] == sample
    assert [each.id for each in drawn([*entries, planned("kb-x", "KB 1", 2, "It will be so.")], ())] == sample
    assert [each.id for each in drawn(entries, sample[:1])][:4] == sample[1:]


def test_a_clause_with_a_patch_stays_drawn_whatever_its_name_is() -> None:
    entries = [met(f"kb-{n}", "KB 1", 2, "It is so.") for n in range(20)]
    *drawn_before, last = [each.id for each in drawn(entries, ())]
    undrawn = next(each.id for each in entries if each.id not in {*drawn_before, last})
    assert [each.id for each in drawn(entries, (), [undrawn])] == [undrawn, *drawn_before]
    assert undrawn not in {each.id for each in drawn(entries, [undrawn], [undrawn])}


def test_a_patch_whose_line_is_missing_or_occurs_twice_is_refused() -> None:
    patch = Break("a", "a.py", "x = 1", "x = 2")
    assert patch.applied("x = 1\ny = 1\n") == "x = 2\ny = 1\n"
    for text in ("", "x = 1\nx = 1\n"):
        with pytest.raises(NoLongerApplies):
            patch.applied(text)


def test_cheap_tests_of_a_clause_run_first_and_long_ones_only_if_there_are_no_others() -> None:
    clause = met("a", "S 1", 2, "It is so.", tests=("tests/acceptance/test_x.py::test_x",))
    places = ("soak/test_s.py::test_s", "integration/test_i.py::test_i", "unit/test_u.py::test_u")
    marks = [Mark("a", test, "") for test in places] + [Mark("b", "unit/test_b.py::test_b", ""), Mark("a", None, "")]
    assert proofs_of(clause, marks) == [
        "tests/unit/test_u.py::test_u",
        "tests/integration/test_i.py::test_i",
        "tests/acceptance/test_x.py::test_x",
    ]
    assert proofs_of(met("a", "S 1", 2, "It is so."), marks[:1]) == ["tests/soak/test_s.py::test_s"]
