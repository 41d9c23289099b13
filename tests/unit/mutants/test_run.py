"""What is tried again, and what is kept."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.mutants import __main__ as program
from tests.mutants.coverage_map import CoverageMap
from tests.mutants.mutations import Mutant
from tests.mutants.rooms import files_of


@pytest.fixture(scope="module")
def few_files() -> Generator[None]:
    """Two files of the room: drawing from all takes seconds."""

    def two(_: str) -> list[Path]:
        return list(files_of("access"))[:2]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "files_of", two)
        yield


@pytest.fixture(scope="module")
def mutants(few_files: None) -> dict[str, list[Mutant]]:
    return {"access": program.sample("access", "citemark", 3)}


def waiting(mutants: dict[str, list[Mutant]]) -> list[Mutant]:
    return [mutant for _, mutant in program.Run(mutants, CoverageMap(), 1).waiting()]


@pytest.mark.requirement("mutants-drawn-by-seed")
def test_the_same_seed_draws_the_same_mutants(mutants: dict[str, list[Mutant]]) -> None:
    assert len(mutants["access"]) == 3
    assert program.sample("access", "citemark", 3) == mutants["access"]
    assert program.sample("access", "another", 3) != mutants["access"]


@pytest.mark.requirement("mutant-run-resumes")
def test_a_run_goes_on_where_the_last_one_stopped(
    mutants: dict[str, list[Mutant]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_OUTCOMES", tmp_path / "outcomes.json")
    first, second, third = mutants["access"]
    run = program.Run(mutants, CoverageMap(), 1)
    assert len(waiting(mutants)) == 3
    run.note("access", first, program.Outcome("killed", "a test", 1.0))
    run.note("access", second, program.Outcome("survived", "", 1.0))
    assert waiting(mutants) == [third]


@pytest.mark.requirement("mutant-run-resumes")
def test_a_survivor_is_tried_again_after_a_test_changed_and_all_after_the_module_changed(
    mutants: dict[str, list[Mutant]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "outcomes.json"
    monkeypatch.setattr(program, "_OUTCOMES", kept)
    first, second, third = mutants["access"]
    run = program.Run(mutants, CoverageMap(), 1)
    run.note("access", first, program.Outcome("killed", "a test", 1.0))
    run.note("access", second, program.Outcome("survived", "", 1.0))
    run.note("access", third, program.Outcome("killed", "a test", 1.0))
    outcomes = json.loads(kept.read_text())
    outcomes[second.ident]["tests"] = "those of yesterday"
    outcomes[third.ident]["module"] = "that of yesterday"
    kept.write_text(json.dumps(outcomes))
    assert waiting(mutants) == [second, third]
