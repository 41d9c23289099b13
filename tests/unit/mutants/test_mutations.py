"""Which changes are made to a module, and that the same sample is drawn as long as its places stay."""

import ast

import pytest
from tests.mutants.mutations import Mutant, sampled

_MODULE = '''"""A module."""

import structlog

_log = structlog.get_logger(__name__)
Names = list[str]
_MOST = 20


def capped(values: list[int], most: int = 5) -> list[int]:
    """Say: 3 at most."""
    _log.info("capped", most=most + 1)
    if len(values) > most:
        raise ValueError("more than " + str(7))
    return values[: min(most, _MOST)]
'''


def mutants(source: str = _MODULE, seed: str = "s") -> list[Mutant]:
    found = (candidate.mutant(key) for key, candidate in sampled("room/module.py", source, seed).items())
    return [mutant for mutant in found if mutant is not None]


@pytest.mark.requirement("mutants-drawn-by-seed")
def test_constants_of_a_module_defaults_and_comparisons_are_changed() -> None:
    changes = {(mutant.scope, mutant.before) for mutant in mutants()}
    assert {("", "20"), ("capped", "5"), ("capped", " > most")} <= changes


def test_each_mutant_is_code_that_differs_from_the_module_in_one_place() -> None:
    for mutant in mutants():
        ast.parse(mutant.code)
        changed = [
            number
            for number, (old, new) in enumerate(zip(_MODULE.splitlines(), mutant.code.splitlines(), strict=True), 1)
            if old != new
        ]
        assert len(changed) == 1
        assert mutant.first_line <= changed[0] <= mutant.last_line


def test_texts_logging_annotations_and_names_of_types_are_left_alone() -> None:
    lines = {line for mutant in mutants() for line in range(mutant.first_line, mutant.last_line + 1)}
    for number, line in enumerate(_MODULE.splitlines(), 1):
        if any(word in line for word in ('"""', "import", "_log.info", "Names")):
            assert number not in lines


def test_assignments_at_module_level_are_found() -> None:
    assert {mutant.names for mutant in mutants() if mutant.before == "20"} == {("_MOST",)}


@pytest.mark.requirement("mutants-drawn-by-seed")
def test_a_change_elsewhere_leaves_a_mutant_and_its_place_in_the_sample_as_they_were() -> None:
    longer = _MODULE.replace("Names = ", "FIRST = 1\n\nNames = ")
    before, after = sampled("room/module.py", _MODULE, "s"), sampled("room/module.py", longer, "s")
    assert set(before) < set(after)
    assert {mutant.ident for mutant in mutants()} < {mutant.ident for mutant in mutants(longer)}


def test_another_seed_orders_the_places_otherwise() -> None:
    assert sorted(sampled("room/module.py", _MODULE, "s")) != sorted(sampled("room/module.py", _MODULE, "t"))
