"""Which tests a mutant meets."""

from dataclasses import replace

import pytest
from tests.mutants.attempts import chosen
from tests.mutants.coverage_map import CoverageMap, TimedTest
from tests.mutants.mutations import Mutant

_SOURCE = """_MOST = 20
def f():
    a = 1
    return a + _MOST
"""
_MUTANT = Mutant("room/module.py", "f", 3, 3, "1", "2", 1, "")


@pytest.fixture
def recorded() -> CoverageMap:
    made = CoverageMap()
    lines = {"room/module.py": {"f": {"a = 1": [0, 1], "return a + _MOST": [1]}}}
    made.add(
        {"tests": {"tests/unit/room/test_module.py::a": 2.0, "tests/unit/room/test_module.py::b": 1.0}, "lines": lines}
    )
    made.add({"tests": {"tests/unit/x/test_x.py::c": 0.5}, "lines": {"room/module.py": {"f": {"a = 1": [0]}}}})
    return made


def idents(tests: list[TimedTest]) -> list[str]:
    return [test.ident.rpartition("::")[2] for test in tests]


@pytest.mark.requirement("mutants-drawn-by-seed")
def test_a_mutant_meets_the_tests_that_run_its_line_wherever_the_line_has_moved(recorded: CoverageMap) -> None:
    assert idents(recorded.covering(_MUTANT, _SOURCE)) == ["a", "b", "c"]
    moved = replace(_MUTANT, first_line=5, last_line=5)
    assert idents(recorded.covering(moved, "\n" + _SOURCE)) == ["b"]


def test_a_constant_meets_the_tests_that_run_a_line_with_its_name(recorded: CoverageMap) -> None:
    constant = replace(_MUTANT, scope="", first_line=1, last_line=1, names=("_MOST",))
    assert idents(recorded.covering(constant, _SOURCE)) == ["b"]


def test_a_line_that_no_test_is_recorded_for_meets_those_of_its_function(recorded: CoverageMap) -> None:
    assert idents(recorded.covering(replace(_MUTANT, first_line=2, last_line=2), _SOURCE)) == ["a", "b", "c"]


def test_a_function_that_runs_at_import_only_meets_every_test_of_its_module(recorded: CoverageMap) -> None:
    assert idents(recorded.covering(replace(_MUTANT, scope="made_once"), _SOURCE)) == ["a", "b", "c"]


def test_the_tests_of_the_module_are_chosen_first_and_the_fastest_run_first(recorded: CoverageMap) -> None:
    assert idents(chosen(recorded.covering(_MUTANT, _SOURCE), "room/module.py")) == ["c", "b", "a"]
    slow = [TimedTest("tests/unit/x/test_x.py::d", 44.0, 44.0), *recorded.tests]
    assert idents(chosen(slow, "room/module.py")) == ["c", "b", "a"]
