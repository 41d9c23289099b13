"""Which lines a test runs, as a process that runs it alone records them."""

from pathlib import Path

import pytest
from tests.mutants import coverage_map
from tests.mutants.rooms import ROOT


def test_lines_run_by_the_tests_of_a_single_file_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fusion = ROOT / "tests" / "unit" / "retrieval" / "test_fusion.py"
    monkeypatch.setattr(coverage_map, "FOLDER", tmp_path)
    monkeypatch.setattr(coverage_map, "_RECORDS", tmp_path / "coverage")
    monkeypatch.setattr(coverage_map, "_test_files", lambda: [fusion])
    made = coverage_map.recorded(2)
    assert len(made.tests) == 5
    assert "reciprocal_ranks" in made.lines["retrieval/retrievers.py"]
