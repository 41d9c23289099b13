"""`citemark demo` on a machine that has no index."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from tests.support.postgres import reachable_folder

from citemark.app.main import open_index
from citemark.cli.command_context import CommandContext
from citemark.cli.demo.demo_command import demo_command


@pytest.mark.requirement("demo-answers-and-goes")
def test_the_demo_answers_three_questions_with_citations_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = reachable_folder()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    left_behind = place / "citemark-demo-of-one-that-was-killed"
    left_behind.mkdir()
    os.utime(left_behind, (0, 0))
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(place / "data"))
    monkeypatch.setenv("CITEMARK_MIN_SCORE", "1")  # whatever the user's settings are
    assert demo_command(CommandContext(open_index, json=True)) == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    cited = [answer["quotes"][0] for answer in answers]
    documents = [Path(quote["file"]["path"]).name for quote in cited]
    assert documents == ["sourdough.md", "ovens.md", "suppliers.md"]
    for quote, words in zip(cited, ("twelve to eighteen hours", "door switch is dirty", "Tuesday noon"), strict=True):
        assert words in quote["quote"]
        assert words.split()[0] in Path(quote["file"]["path"]).read_text("utf-8")
    # Neither an index of the user's nor the temporary folder is there.
    assert list(place.iterdir()) == []
    place.rmdir()
