"""`citemark demo` as a person runs it on a machine that has no index."""

import json
from pathlib import Path

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import index
from tests.support.postgres import reachable_folder


@pytest.mark.requirement("demo-answers-and-goes")
def test_the_demo_answers_three_questions_with_citations_and_leaves_nothing(commands: Commands) -> None:
    place = reachable_folder()
    settings = {"CITEMARK_DATA_DIR": str(place / "data"), "CITEMARK_MIN_SCORE": "1", "TMPDIR": str(place)}
    done = commands.run("demo", "--json", env={**index(place / "data").environment, **settings}, check=True)
    answers = json.loads(done.stdout)["answers"]
    cited = [answer["quotes"][0] for answer in answers]
    documents = [Path(quote["file"]["path"]).name for quote in cited]
    assert documents == ["sourdough.md", "ovens.md", "suppliers.md"]
    for quote, words in zip(cited, ("twelve to eighteen hours", "door switch is dirty", "Tuesday noon"), strict=True):
        assert words in quote["quote"]
        assert words.split()[0] in Path(quote["file"]["path"]).read_text("utf-8")
    # Neither an index of the user's nor the temporary folder is there.
    assert list(place.iterdir()) == []
    place.rmdir()
