"""`citemark init` makes an index in partitions, which is filled and asked like any other."""

import json
import os
from pathlib import Path

import pytest
from tests.acceptance.commands import Commands
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import drop_database, fresh_database


@pytest.mark.requirement("partitions-answer-the-same")
def test_an_index_is_made_in_partitions_once_and_then_used_like_any_other(
    server_dsn: str, commands: Commands, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "boiler.md").write_text("# Boiler\n\nThe boiler is checked in spring.\n")
    dsn = fresh_database(server_dsn)
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = {**kept, "CITEMARK_DATABASE_URL": dsn, "CITEMARK_DATA_DIR": str(tmp_path / "data")}

    def run(*words: str, code: int = 0) -> str:
        done = commands.run(*words, env=environment, timeout=HANG_SECONDS)
        assert done.returncode == code, done.stderr
        return done.stdout or done.stderr

    assert "There is a new index in 4 partitions" in run("init", "--partitions", "4")
    for again in (("init",), ("init", "--partitions", "16")):
        refusal = run(*again, code=2)
        assert "There is an index here already" in refusal
        assert refusal.count("\n") == 1
    run("add", "docs", str(docs))
    assert "boiler.md" in run("search", "When is the boiler checked?")
    assert json.loads(run("status", "--json"))["partitions"] == 4
    assert "in 4 partitions, model" in run("status")
    checked = json.loads(run("doctor", "--json"))
    assert "in 4 partitions" in json.dumps(checked)
    drop_database(dsn)
