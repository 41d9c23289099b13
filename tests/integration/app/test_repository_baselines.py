"""Tags and commits of a repository as baselines: what the files said then, read without touching the work tree."""

import re
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.support.git_repositories import TestRepository

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.errors import InvalidArgument
from citemark.model.scope import ReadContext
from citemark.model.sources import NewSource, Source
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.settings import Settings
from citemark.sources.git_repository import IncompleteClone, NotInRepository, UnknownCommit

PORTS = "# Ports\n\nThe server listens on port {port}.\n\n# Users\n\nEach user has a port of their own.\n"
KEYS = "# Keys\n\nKeys are rotated every {often}.\n"


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


@pytest.fixture
def repository(tmp_path: Path) -> TestRepository:
    made = TestRepository(tmp_path / "project")
    made.commit({"docs/ports.md": PORTS.format(port=4711), "docs/keys.md": KEYS.format(often="year")}, "v1")
    made.commit({"docs/ports.md": PORTS.format(port=4712), "README.md": "# Not of the source\n"}, "v2", annotated=True)
    made.commit({"docs/keys.md": None, "docs/new.md": "# New\n\nA new page.\n"}, "v3")
    return made


async def docs(app: App, folder: Path, name: str = "docs") -> Source:
    source = await app.sources.add(NewSource(name, "docs", {"root": str(folder)}))
    await app.sync({source.source_id: source})
    return source


async def ask(app: App, question: str, baseline: str | None = None) -> SearchPage:
    context = ReadContext(baseline_id=baseline)
    return await app.services.search.find(Caller.local(), SearchRequest(question, min_score=0.0, read_context=context))


def said(page: SearchPage) -> list[tuple[object, ...]]:
    return [(hit.citation.document_id, hit.citation.span, hit.score, hit.text) for hit in page.hits]


async def create(app: App, *names: str, pattern: str | None = None) -> list[tuple[str, int, int]]:
    sources = await app.sources.all()
    made = await app.repository_baselines.create("local", names, sources, pattern=pattern)
    return [(each.name, each.written, each.kept) for each in made]


async def embedded(app: App) -> int:
    rows = await app.stores.database.fetch("sets")
    number = rows[0]["embedding_set_id"]
    statement = f"SELECT count(*) AS n FROM (SELECT chunk_id FROM embedding_{number} UNION ALL SELECT chunk_id FROM embedding_{number}_past) e"  # noqa: E501, S608
    return (await app.stores.database.read_sql(statement))[0]["n"]  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("i10-2-git", "R6-git-baseline")
async def test_a_tag_answers_as_the_folder_did_in_that_state(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path / "project")
    repository.commit({"docs/ports.md": PORTS.format(port=4711), "docs/keys.md": KEYS.format(often="year")}, "v1")
    source = await docs(app, repository.folder / "docs")
    before = [said(await ask(app, question)) for question in ("which port", "keys rotated")]
    repository.commit({"docs/ports.md": PORTS.format(port=4712), "docs/more.md": "# More\n\nAnother port.\n"}, "v2")
    await app.sync({source.source_id: source})
    tree = repository.state()
    assert await create(app, "v1") == [("git:v1", 2, 0)]
    assert repository.state() == tree, "neither the work tree nor the repository is touched"
    assert [said(await ask(app, question, "git:v1")) for question in ("which port", "keys rotated")] == before
    page = await ask(app, "which port", "git:v1")
    assert page.meta.read_context.baseline_id == "git:v1"
    assert {hit.citation.baseline_id for hit in page.hits} == {"git:v1"}
    assert "4712" in (await ask(app, "which port")).hits[0].text


@pytest.mark.requirement("i10-2-git")
async def test_every_tag_is_a_baseline_of_its_own_and_what_two_share_is_read_once(
    app: App, repository: TestRepository
) -> None:
    await docs(app, repository.folder / "docs")
    assert await create(app, pattern="v*") == [("git:v1", 2, 0), ("git:v2", 1, 1), ("git:v3", 1, 1)]
    for baseline, port, keys in (("git:v1", "4711", True), ("git:v2", "4712", True), ("git:v3", "4712", False)):
        page = await ask(app, "which port does the server listen on", baseline)
        assert port in page.hits[0].text, baseline
        found = {hit.citation.document_id for hit in (await ask(app, "keys rotated", baseline)).hits}
        assert any(name.startswith("keys.md") for name in found) is keys, baseline
    assert await app.stores.database.fetch("baselines", {"tenant": "local", "name": "git:v2"})


async def test_baselines_made_one_at_a_time_share_what_they_have_in_common(
    app: App, repository: TestRepository
) -> None:
    await docs(app, repository.folder / "docs")
    vectors = await embedded(app)
    assert await create(app, "v3") == [("git:v3", 2, 0)]
    assert await create(app, "v1") == [("git:v1", 2, 0)]
    assert await create(app, "v2") == [("git:v2", 1, 1)]
    assert vectors < await embedded(app)
    assert "4711" in (await ask(app, "which port", "git:v1")).hits[0].text
    assert "4712" in (await ask(app, "which port", "git:v2")).hits[0].text


async def test_an_interrupted_baseline_is_invisible_and_is_started_again(app: App, repository: TestRepository) -> None:
    source = await docs(app, repository.folder / "docs")
    await app.stores.repository_pages.begin("local", "git:v1", [source.source_id])
    with pytest.raises(InvalidArgument, match="There is no baseline 'git:v1'"):
        await ask(app, "which port", "git:v1")
    assert await create(app, "v1") == [("git:v1", 2, 0)]
    assert (await ask(app, "which port", "git:v1")).hits


@pytest.mark.requirement("R6-purge-spares")
async def test_a_purge_leaves_tags_alone_and_takes_them_once_they_are_deleted(
    app: App, repository: TestRepository
) -> None:
    source = await docs(app, repository.folder / "docs")
    await create(app, pattern="v*")
    assert await app.stores.history.purge(source.source_id, app.clock()) == 0
    await app.stores.baselines.delete("local", "git:v1")
    assert await app.stores.history.purge(source.source_id, app.clock()) == 1
    assert "4712" in (await ask(app, "which port", "git:v2")).hits[0].text
    assert (await ask(app, "keys rotated", "git:v2")).hits


@pytest.mark.requirement("i10-2-git")
async def test_a_model_kept_in_a_repository_has_baselines_too(app: App, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "unit" / "sources" / "archimate" / "archi_2.archimate").read_text("utf-8")
    elements = re.findall(r'<element [^>]*xsi:type="archimate:Application\w+"[^>]*>', text)
    name = re.findall(r'name="([^"]+)"', elements[0])[0]
    repository = TestRepository(tmp_path / "models")
    repository.commit({"city.archimate": text}, "v1")
    repository.commit({"city.archimate": text.replace(f'name="{name}"', 'name="Renamed afterwards"')}, "v2")
    source = await app.sources.add(NewSource("city", "archimate", {"path": str(repository.folder / "city.archimate")}))
    await app.sync({source.source_id: source})
    (first, second) = await create(app, pattern="*")
    assert (first[0], second[0]) == ("git:v1", "git:v2")
    assert second[2] > 0, "elements that did not change are kept"
    titles = {hit.title for hit in (await ask(app, name, "git:v1")).hits}
    assert any(name in title for title in titles)
    assert not any("Renamed afterwards" in hit.title for hit in (await ask(app, name, "git:v1")).hits)


@pytest.mark.requirement("i10-bad-input", "i13-5-failures")
async def test_an_invalid_baseline_is_refused_with_the_valid_forms(
    app: App, repository: TestRepository, tmp_path: Path
) -> None:
    await docs(app, repository.folder / "docs")
    with pytest.raises(UnknownCommit, match=r"no tag or commit 'v4'. Tags, nearest first: v[123]"):
        await create(app, "v4")
    await create(app, "v1")
    with pytest.raises(InvalidArgument, match="There is already a baseline 'git:v1'"):
        await create(app, "v1")
    with pytest.raises(InvalidArgument, match="No tag that matches 'w\\*'"):
        await create(app, pattern="w*")
    repository.cut_off()
    with pytest.raises(IncompleteClone, match="The clone is shallow: `git fetch --unshallow --tags`"):
        await create(app, "v2")


@pytest.mark.requirement("i10-bad-input")
async def test_a_folder_outside_of_any_repository_is_refused(app: App, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.md").write_text("# One\n")
    await docs(app, tmp_path / "plain")
    with pytest.raises(NotInRepository, match="is not in a git repository"):
        await create(app, "v1")


@pytest.mark.requirement("i10-bad-input")
async def test_a_file_that_was_binary_at_the_tag_is_reported_as_a_problem(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path / "project")
    repository.commit({"a.md": b"\x00\x01\x02\xff" * 50, "b.md": "# Fine\n\nThe harbour.\n"}, "v1")
    repository.commit({"a.md": "# Text now\n\nThe quay.\n"}, "v2")
    await docs(app, repository.folder)
    (made,) = await app.repository_baselines.create("local", ["v1"], await app.sources.all())
    assert [problem.native_id for problem in made.problems["docs"]] == ["a.md"]
    page = await ask(app, "harbour quay", "git:v1")
    assert {hit.citation.document_id.split("#")[0] for hit in page.hits} == {"b.md"}


async def test_a_commit_can_be_named_by_its_hash(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path / "project")
    sha = repository.commit({"a.md": "# One\n\nThe harbour.\n"})
    repository.commit({"a.md": "# One\n\nThe quay.\n"})
    await docs(app, repository.folder)
    assert await create(app, sha[:10]) == [(f"git:{sha[:10]}", 1, 0)]
    assert "harbour" in (await ask(app, "harbour", f"git:{sha[:10]}")).hits[0].text


async def test_an_empty_name_creates_no_baseline_and_remote_sources_are_left_out(
    app: App, repository: TestRepository
) -> None:
    await docs(app, repository.folder / "docs")
    await app.sources.add(NewSource("cloud", "nextcloud", {"server": "https://cloud.example", "user": "alice"}))
    assert await create(app) == []
    assert [name for name, _, _ in await create(app, "v1")] == ["git:v1"]


@pytest.mark.requirement("i10-bad-input")
async def test_creating_baselines_stops_at_a_commit_whose_model_was_broken(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path / "project")
    text = (Path(__file__).parents[2] / "unit" / "sources" / "archimate" / "archi_2.archimate").read_text("utf-8")
    repository.commit({"model.archimate": text}, "v1")
    repository.commit({"model.archimate": "<html></html>"}, "v2")
    repository.commit({"model.archimate": text.replace("Archi", "Model")}, "v3")
    await app.sources.add(NewSource("model", "archimate", {"path": str(repository.folder / "model.archimate")}))
    with pytest.raises(InvalidArgument, match="'model' cannot be read at 'v2'"):
        await create(app, "v1", "v2")
    assert [name for name, _, _ in await create(app, "v3")] == ["git:v3"]
