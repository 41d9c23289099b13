"""From the bundled model to a provider and on, while people search."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from tests.support.index import Index
from tests.support.model_copies import copied_model, flip_a_byte
from tests.support.patience import HANG_SECONDS
from tests.support.providers import KEY, FakeProvider, Fault, meaningless, serve
from tests.support.shifted_vectors import THINGS, page, shifted

from citemark.app.compose import App
from citemark.app.embedding_models import OtherModel
from citemark.app.open_index import open_app
from citemark.cli.doctor_command import model_finding
from citemark.embedding.contract import ProviderRefused, ProviderUnavailable
from citemark.embedding.minilm import MiniLM
from citemark.embedding.model_files import DamagedModel
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import NewSource
from citemark.model.vectors import TooManyDimensions
from citemark.retrieval.question import Question, Ranking
from citemark.settings import Settings
from citemark.store.database import Database


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


@pytest.fixture
def provider() -> Generator[FakeProvider, None, None]:
    with serve() as fake:
        yield fake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    for thing in THINGS:
        (root / f"{thing}.md").write_text(page(thing))
    return root


def settings_of(dsn: str, provider: FakeProvider | None = None, **fields: Any) -> Settings:
    if provider is not None:
        fields = {
            "embedding_provider": "openai",
            "embedding_model": "test-model",
            "embedding_url": provider.url,
            "embedding_api_key": SecretStr(KEY),
            **fields,
        }
    return Settings(database_url=SecretStr(dsn), verify_cache=0, index_workers=2, **fields)


@asynccontextmanager
async def opened(dsn: str, provider: FakeProvider | None = None, **fields: Any) -> AsyncGenerator[App, None]:
    async with open_app(settings_of(dsn, provider, **fields)) as app:
        yield app


async def sync(app: App, folder: Path | None = None) -> None:
    if folder is not None:
        await app.stores.sources.add(NewSource(name="docs", kind="docs", config={"root": str(folder)}))
    await app.sync(await app.local_sources())


async def rank(app: App, query: str) -> Ranking:
    return await app.pipeline.rank(Question(Principal.local(), query, scope=RequestScope(project_id="default")))


async def active_model(app: App) -> str:
    active = await app.stores.vectors.active()
    assert active is not None
    return active.model


@pytest.mark.requirement("changing-model-leaves-no-gap")
async def test_a_switch_to_a_provider_leaves_no_question_without_an_answer_from_vectors(
    dsn: str, folder: Path, provider: FakeProvider, minilm: MiniLM
) -> None:
    async with opened(dsn) as app:
        await sync(app, folder)
    provider.embed = shifted(minilm, 0.6)
    provider.trouble = lambda _: Fault(delay=0.1)
    async with opened(dsn, provider) as app:
        models: list[str] = []
        done = asyncio.Event()

        async def search() -> None:
            cosine = 0.0
            while not done.is_set() or cosine < 0.6:
                models.append(await active_model(app))
                ranking = await rank(app, f"who built the {THINGS[len(models) % len(THINGS)]}")
                assert ranking.notes == ()
                assert ranking.candidates
                assert ranking.candidates[0].why.vector_rank is not None
                cosine = ranking.candidates[-1].why.cosine or 0.0

        searching = asyncio.create_task(search())
        await sync(app)
        done.set()
        async with asyncio.timeout(HANG_SECONDS):
            await searching
        assert models[0] == MiniLM().model
        assert models.count(models[0]) > 5
        assert await app.stores.vectors.drop_retired(grace=0) == 1
        assert [entry.model for entry in await app.stores.vectors.sets()] == ["openai/test-model"]
        assert (await rank(app, "who built the kettle")).notes == ()
    assert all(asked.headers["authorization"] == f"Bearer {KEY}" for asked in provider.asked)


@pytest.mark.requirement("changing-model-leaves-no-gap")
async def test_after_switching_back_the_provider_is_asked_until_the_bundled_model_takes_over(
    dsn: str, folder: Path, provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(dsn, provider) as app:
        await sync(app, folder)
        assert await active_model(app) == "openai/test-model"
    async with opened(dsn) as app:
        # Its key is no longer set: the words still find, and the note says what is missing.
        ranking = await rank(app, "who built the boiler")
        assert ranking.candidates
        assert "openai/test-model gave no vector for the question (HTTP 401)" in ranking.notes[0]
        await sync(app)
        assert await active_model(app) == MiniLM().model
        async with asyncio.timeout(HANG_SECONDS):
            while (await rank(app, "who built the boiler")).notes:
                pass
    assert all(asked.headers.get("authorization") != "Bearer " for asked in provider.asked)


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
async def test_without_its_provider_the_words_are_indexed_and_the_reason_is_reported(
    dsn: str, folder: Path, provider: FakeProvider
) -> None:
    async with opened(dsn, provider, embedding_api_key=SecretStr("wrong")) as app:
        with pytest.raises(ProviderRefused, match="embedding_api_key"):
            await sync(app, folder)
        assert (await rank(app, "who built the boiler")).candidates
    async with opened(dsn, provider) as app:
        await sync(app)
        assert (await rank(app, "who built the boiler")).candidates[0].why.vector_rank is not None


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
async def test_a_provider_that_fails_on_the_way_gives_the_work_back_for_another_time(
    dsn: str, folder: Path, provider: FakeProvider
) -> None:
    async with opened(dsn, provider) as app:
        provider.trouble = lambda _: (
            Fault(429, {"error": {"message": "no"}}, {"retry-after": "60"}) if len(provider.asked) > 2 else None
        )
        with pytest.raises(ProviderUnavailable):
            await sync(app, folder)
        active = await app.stores.vectors.active()
        assert active is not None
        backlog = await app.stores.vectors.backlog(active.set_id)
        assert (backlog.waiting > 0, backlog.parked) == (True, 0)
        provider.trouble = lambda _: None
        with pytest.raises(ProviderUnavailable, match=r"another [56]. seconds"):
            await sync(app)
    async with opened(dsn, provider) as app:
        await sync(app)
        assert (await app.stores.vectors.backlog(active.set_id)).waiting == 0


@pytest.mark.requirement("transient-errors-retried-permanent-shown")
async def test_a_text_that_the_model_refuses_is_given_up_and_the_others_are_embedded(
    dsn: str, folder: Path, provider: FakeProvider, database: Database
) -> None:
    provider.trouble = lambda asked: (
        Fault(400, {"error": {"message": "context length"}}) if any("volcano" in text for text in asked.texts) else None
    )
    async with opened(dsn, provider) as app:
        await sync(app, folder)
        active = await app.stores.vectors.active()
        assert active is not None
        assert (await app.stores.vectors.backlog(active.set_id)).parked == 1
        assert (await rank(app, "volcano")).candidates
        finding = await model_finding(app)
        assert not finding.ok
        assert "refused 1 chunks" in finding.message
    assert "context length" in await Index(database).value("SELECT error FROM vector_task WHERE tries >= 5")


@pytest.mark.requirement("changing-model-leaves-no-gap")
async def test_another_model_behind_the_same_name_is_detected(dsn: str, folder: Path, provider: FakeProvider) -> None:
    async with opened(dsn, provider) as app:
        await sync(app, folder)
    provider.embed = lambda texts: [vector[::-1] for vector in meaningless(texts)]
    async with opened(dsn, provider) as app:
        with pytest.raises(OtherModel, match="embedding_revision"):
            await sync(app)
    async with opened(dsn, provider, embedding_revision="2") as app:
        await sync(app)
        assert await active_model(app) == "openai/test-model"
        assert len(await app.stores.vectors.sets()) == 1


@pytest.mark.requirement("changing-model-leaves-no-gap")
async def test_a_server_with_other_settings_fills_the_set_that_is_there_and_begins_none(
    dsn: str, folder: Path, provider: FakeProvider, database: Database
) -> None:
    async with opened(dsn) as app:
        await sync(app, folder)
    index = Index(database)
    await index.rows("DELETE FROM embedding_1 WHERE chunk_id < 3")
    await index.rows(
        "INSERT INTO vector_task (source_id, embedding_set_id, chunk_id, size)"
        " SELECT source_id, 1, chunk_id, 1 FROM chunk WHERE chunk_id < 3"
    )
    async with opened(dsn, provider) as app:
        stop = asyncio.Event()
        working = asyncio.create_task(app.work_in_background(stop))
        async with asyncio.timeout(HANG_SECONDS):
            while await index.value("SELECT count(*) FROM vector_task"):
                pass
        stop.set()
        await working
        assert [entry.model for entry in await app.stores.vectors.sets()] == [MiniLM().model]
    assert provider.asked == []


async def test_vectors_too_long_for_the_index_are_refused_with_the_reason(
    dsn: str, folder: Path, provider: FakeProvider
) -> None:
    provider.embed = lambda texts: [vector * 251 for vector in meaningless(texts)]
    async with opened(dsn, provider) as app:
        with pytest.raises(TooManyDimensions, match=r"4016 dimensions.*at most 4000.*embedding_dimensions"):
            await sync(app, folder)
    provider.embed = lambda texts: [vector * 250 for vector in meaningless(texts)]
    async with opened(dsn, provider) as app:
        await sync(app)
        assert (await rank(app, "who built the boiler")).candidates[0].why.vector_rank is not None


@pytest.mark.requirement("unfitted-model-uses-random-pairs")
async def test_a_model_without_a_fit_is_scored_by_random_pairs_of_the_corpus(
    dsn: str, folder: Path, provider: FakeProvider, minilm: MiniLM, database: Database
) -> None:
    provider.embed = shifted(minilm, 0.75)
    async with opened(dsn, provider) as app:
        await sync(app, folder)
        active = await app.stores.vectors.active()
        assert active is not None
        tenth, half, most, nearly_all = active.random_pairs
        assert 0.75 < tenth < half < most < nearly_all < 1
        near, far = await rank(app, "who built the kettle"), await rank(app, "quarterly dividend yields of banks")
        assert near.candidates[0].score >= 0.7
        assert all(candidate.score < 0.5 for candidate in far.candidates)
        # The raw cosines alone would have let everything pass.
        assert all(candidate.why.cosine is not None and candidate.why.cosine > 0.7 for candidate in far.candidates[:5])
        assert not await app.stores.random_pairs.refresh(active.set_id)
        await Index(database).rows("UPDATE embedding_set SET random_pairs_of = 0")
        assert await app.stores.random_pairs.refresh(active.set_id)
        again = await app.stores.vectors.active()
        assert again is not None
        assert again.random_pairs == active.random_pairs


async def test_the_doctor_finds_a_changed_byte_in_the_bundled_model_whichever_model_embeds(
    dsn: str, provider: FakeProvider, tmp_path: Path
) -> None:
    files = copied_model(tmp_path)
    async with opened(dsn) as bundled, opened(dsn, provider) as remote:
        for app in (bundled, remote):
            assert (await model_finding(app)).ok
            app.bundled_model = MiniLM(files=files)
        flip_a_byte(files.query_graph)
        for app in (bundled, remote):
            with pytest.raises(DamagedModel, match=r"query\.onnx has SHA-256 .*Reinstall the package citemark-minilm"):
                await model_finding(app)
