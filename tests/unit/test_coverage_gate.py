"""What the gate of coverage lets pass, and that nothing is left out of it without a reason."""

import json
import re
from pathlib import Path

import pytest
from tests.coverage_gate import ROOT, SOURCE, WHOLE, lines_run, measured, shortfalls

_PRAGMA = re.compile(r"#.*\bno\s*cover\b.*")
_REASONED = re.compile(r"# pragma: no cover - \w+ \w+.*")


@pytest.mark.requirement("named-rooms-fully-covered")
def test_one_line_that_no_test_runs_is_named_in_the_rooms_that_must_be_whole() -> None:
    told = shortfalls({"retrieval/pipeline.py": (200, [7, 9]), "evidence/quotes.py": (90, [])})
    assert told == ["retrieval/pipeline.py: no test runs line 7, 9"]


@pytest.mark.requirement("named-rooms-fully-covered")
def test_in_other_packages_nine_lines_in_ten_are_enough() -> None:
    assert shortfalls({"cli/a.py": (100, list(range(10))), "cli/b.py": (100, list(range(10)))}) == []
    (told,) = shortfalls({"cli/a.py": (100, list(range(11))), "cli/b.py": (100, list(range(10)))})
    assert told == "elsewhere: 89.5% of the lines run, and 90% are wanted"


def test_every_package_that_must_be_fully_covered_exists() -> None:
    assert [place for place in WHOLE if not (SOURCE / place).exists()] == []


@pytest.mark.requirement("uncovered-lines-have-reasons")
def test_no_line_is_left_out_of_coverage_without_a_reason_beside_it() -> None:
    marks = [(path, mark[0]) for path in SOURCE.rglob("*.py") for mark in _PRAGMA.finditer(path.read_text("utf-8"))]
    assert [f"{path}: {mark}" for path, mark in marks if not _REASONED.fullmatch(mark)] == []


def test_what_all_workers_ran_is_held_against_the_statements_of_every_file(tmp_path: Path) -> None:
    for worker, lines in (("gw0", range(1, 30)), ("gw1", range(30, 10_000))):
        (tmp_path / f"{worker}.json").write_text(json.dumps({"src/citemark/identity/key_sets.py": list(lines)}))
    found = measured(lines_run(tmp_path), SOURCE / "identity")
    assert found["identity/key_sets.py"][0] > 0
    assert found["identity/key_sets.py"][1] == []
    untouched = found["identity/introspection.py"]
    assert untouched[0] == len(untouched[1]) > 0
    assert len(found) == len(list((ROOT / "src" / "citemark" / "identity").rglob("*.py")))
