"""Metrics of a server that no collector can reach."""

import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from citemark.app.metrics_file import MetricsFile
from citemark.model.errors import ConfigurationError
from citemark.tools.seen_calls import SeenCall

CALL = SeenCall("local/owner", "kb.search", "ok", 10, 0.1)


@pytest.mark.requirement("stdio-calls-are-counted")
def test_calls_are_counted_in_a_file_that_ends_with_its_process(tmp_path: Path) -> None:
    now = [0.0]
    metrics = MetricsFile(tmp_path / "metrics", lambda: now[0])
    path = tmp_path / "metrics" / f"citemark-{os.getpid()}.prom"
    metrics.seen(CALL)
    assert 'citemark_calls_total{outcome="ok",tool="kb.search"} 1.0' in path.read_text()
    metrics.seen(CALL)
    assert 'tool="kb.search"} 1.0' in path.read_text(), "it is written every few seconds"
    now[0] = 5.0
    metrics.seen(CALL)
    assert 'citemark_calls_total{outcome="ok",tool="kb.search"} 3.0' in path.read_text()
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    metrics.close()
    assert not path.exists()


@pytest.mark.requirement("stdio-calls-are-counted")
def test_a_folder_that_cannot_be_written_to_is_told_at_the_start_and_later_in_the_log(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="metrics_dir"):
        MetricsFile(tmp_path / "file")
    metrics = MetricsFile(tmp_path / "metrics")
    for each in (tmp_path / "metrics").iterdir():
        each.unlink()
    (tmp_path / "metrics").rmdir()
    with capture_logs() as logged:
        metrics.seen(CALL)
    assert [line["action"] for line in logged] == ["metrics"]
    metrics.close()
