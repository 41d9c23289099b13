"""Tags and commits of a repository as baselines: what the files said then, read without touching the work tree."""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.git_repositories import TestRepository
from tests.support.kinds import KINDS
from tests.support.patience import HANG_SECONDS

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.extraction.sandbox.process import Limits
from citemark.features.graph.services.keys import EXPLORATION
from citemark.features.graph.services.requests import GraphScope, NodesRequest, Relation
from citemark.indexing.repository_states import RepositoryStates
from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.errors import InvalidArgument
from citemark.model.scope import ReadContext
from citemark.model.sources import NewSource, Source
from citemark.services.history_keys import REPOSITORY_BASELINES
from citemark.services.repository_baselines import RepositoryBaselineService
from citemark.services.requests import Caller, CitationRef, SearchRequest
from citemark.services.responses import SearchPage
from citemark.settings import Settings
from citemark.sources.contract import Connector, Scanner
from citemark.sources.git_repository import IncompleteClone, NotInRepository, UnknownCommit
from citemark.store.history import HistoryStore
from citemark.store.repository_pages import RepositoryPages

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
    made = await app.services.get(REPOSITORY_BASELINES).create("local", names, sources, pattern=pattern)
    return [(each.name, each.written, each.kept) for each in made]


async def embedded(app: App) -> int:
    rows = await app.stores.database.fetch("sets")
    number = rows[0]["embedding_set_id"]
    statement = f"SELECT count(*) AS n FROM (SELECT chunk_id FROM embedding_{number} UNION ALL SELECT chunk_id FROM embedding_{number}_past) e"  # noqa: E501, S608
    return (await app.stores.database.read_sql(statement))[0]["n"]  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("repository-tags-are-baselines", "git-tags-and-commits-are-baselines")
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


@pytest.mark.requirement("repository-tags-are-baselines")
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


@pytest.mark.requirement("a-version-for-each-reader")
@pytest.mark.parametrize(
    ("readers", "read"),
    [("markdown=0", 2), ("", 2), ("pdf=0 markdown=99", 2), ("markdown=99", 1), ("text=1 markdown=99", 1)],
)
async def test_what_an_older_reader_read_of_a_commit_is_not_shared_with_the_next(
    app: App, repository: TestRepository, readers: str, read: int
) -> None:
    await docs(app, repository.folder / "docs")
    assert await create(app, "v1") == [("git:v1", 2, 0)]
    async with app.stores.database.transaction() as connection:
        await connection.execute("UPDATE revision SET readers = %s", [readers])
    assert await create(app, "v2") == [("git:v2", read, 2 - read)]


@pytest.mark.requirement("repository-tags-are-baselines", "as-of-covers-text-and-relationships")
async def test_words_that_only_tags_have_are_cited_with_the_tag_recorded_last(
    app: App, repository: TestRepository
) -> None:
    await docs(app, repository.folder / "docs")
    await create(app, pattern="v*")
    for question, quote, tagged, gone in (
        ("which port does the server listen on", "The server listens on port 4711.", "git:v1", False),
        ("keys rotated", "Keys are rotated every year.", "git:v2", True),
    ):
        cited = (await ask(app, question, "git:v1")).hits[0].citation
        ref = CitationRef(cited.source, cited.document_id, cited.revision_id)
        reopened = await app.services.reopening.reopen(Caller.local(), ref)
        assert quote in reopened.text
        checked = (await app.services.quotes.verify(Caller.local(), ref, quote)).found_at if gone else reopened.citation
        assert checked is not None
        for citation in (checked, reopened.citation):
            assert (citation.baseline_id, citation.revision_id) == (tagged, cited.revision_id)
            state = ReadContext(baseline_id=citation.baseline_id)
            found = await app.services.search.find(Caller.local(), SearchRequest(quote, read_context=state))
            assert found.hits[0].citation.as_of == citation.as_of
            assert quote in found.hits[0].text


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


async def test_a_page_that_two_tags_share_has_its_sections_in_the_graph_of_both(
    app: App, repository: TestRepository
) -> None:
    await docs(app, repository.folder / "docs")
    await create(app, pattern="v*")
    sections: dict[str, set[str]] = {}
    for baseline in ("git:v1", "git:v2"):
        scope = GraphScope(read_context=ReadContext(baseline_id=baseline))
        asked = NodesRequest(("docs:page:keys.md",), scope, Relation.CHILDREN)
        found = await app.services.get(EXPLORATION).nodes(Caller.local(), asked)
        sections[baseline] = {node.node_id for node in found.nodes}
        around = await app.services.get(EXPLORATION).nodes(
            Caller.local(), replace(asked, node_ids=("docs:section:keys.md#keys",))
        )
        assert around.nodes == ()
    assert sections["git:v1"] == sections["git:v2"]
    assert "docs:section:keys.md#keys" in sections["git:v2"]


async def test_an_interrupted_baseline_is_invisible_and_is_started_again(app: App, repository: TestRepository) -> None:
    source = await docs(app, repository.folder / "docs")
    await app.stores.of(RepositoryPages, app.stores.baselines).begin("local", "git:v1", [source.source_id])
    with pytest.raises(InvalidArgument, match="There is no baseline 'git:v1'"):
        await ask(app, "which port", "git:v1")
    assert await create(app, "v1") == [("git:v1", 2, 0)]
    assert (await ask(app, "which port", "git:v1")).hits


@pytest.mark.requirement("purge-spares-baselines")
async def test_a_purge_leaves_tags_alone_and_takes_them_once_they_are_deleted(
    app: App, repository: TestRepository
) -> None:
    source = await docs(app, repository.folder / "docs")
    await create(app, pattern="v*")
    assert await app.stores.of(HistoryStore).purge(source.source_id, app.clock()) == 0
    await app.stores.baselines.delete("local", "git:v1")
    assert await app.stores.of(HistoryStore).purge(source.source_id, app.clock()) == 1
    assert "4712" in (await ask(app, "which port", "git:v2")).hits[0].text
    assert (await ask(app, "keys rotated", "git:v2")).hits


class HeldScanner:
    """A scanner that lists nothing before it is released."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self.asked, self.released = asyncio.Event(), asyncio.Event()

    async def scan(self) -> AsyncGenerator[Listed | Problem | ScanEnd, None]:
        self.asked.set()
        await self.released.wait()
        async for each in self._scanner.scan():
            yield each


class SlowProcess:
    """Another process that makes a baseline: it has begun, and reads the commit once it is released."""

    def __init__(self, app: App, name: str) -> None:
        self._app, self._name = app, name
        self.scanners: list[HeldScanner] = []
        self._began = asyncio.Event()

    def _over(self, source: Source, folder: Path) -> Connector:
        connector = self._app.connectors.over(source, folder)
        scanner = HeldScanner(connector.scanner)
        self.scanners.append(scanner)
        self._began.set()
        return replace(connector, scanner=scanner)

    async def begin(self) -> None:
        stores, app = self._app.stores, self._app
        service = RepositoryBaselineService(
            pages=stores.of(RepositoryPages, stores.baselines),
            baselines=stores.baselines,
            kinds=KINDS,
            connector_over=self._over,
            states_of=lambda source: RepositoryStates(
                source, stores.of(RepositoryPages, stores.baselines), app.models.bundled.tokenizer, app.detector
            ),
            embed=stores.segments.flush,
            max_file_bytes=1_000_000,
            limits=Limits(),
        )
        self._task = asyncio.create_task(service.create("local", [self._name], await app.sources.all()))
        async with asyncio.timeout(HANG_SECONDS):
            await self._began.wait()
            await self.scanners[0].asked.wait()

    async def end(self) -> None:
        self.scanners[0].released.set()
        await self._task


async def pages_in(app: App, baseline: str) -> list[tuple[str, str]]:
    """The pages of a baseline and what they say, one row for each revision."""
    named = await app.stores.baselines.named("local", baseline)
    assert named is not None
    async with app.stores.database.transaction() as connection:
        cursor = await connection.execute(
            "SELECT d.native_id, r.body FROM revision r JOIN document d USING (source_id, document_id)"
            " WHERE r.valid_from <= %(at)s AND r.valid_to > %(at)s AND d.valid_to > %(at)s ORDER BY 1, 2",
            {"at": named.at},
        )
        return [(row["native_id"], row["body"]) for row in await cursor.fetchall()]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.requirement("repository-tags-are-baselines", "baselines-never-change")
async def test_two_processes_that_record_commits_at_once_leave_each_other_whole(
    app: App, tmp_path: Path, order: tuple[int, ...]
) -> None:
    repository = TestRepository(tmp_path / "project")
    year, month = KEYS.format(often="year"), KEYS.format(often="month")
    old, new = PORTS.format(port=4711), PORTS.format(port=4712)
    same = "# Quays\n\nThe quay is in the harbour.\n"
    repository.commit({"keys.md": year, "ports.md": old, "same.md": same}, "v1")
    repository.commit({"keys.md": year, "ports.md": new}, "v2")
    repository.commit({"keys.md": month, "ports.md": old}, "v3")
    repository.commit({"keys.md": month, "ports.md": new}, "v4")
    await docs(app, repository.folder)
    await create(app, "v1")
    # Each changes a page that the other shares with v1, and both share the third one.
    processes = SlowProcess(app, "v2"), SlowProcess(app, "v3")
    for process in processes:
        await process.begin()
    for number in order:
        await processes[number].end()
    await create(app, "v4")
    for baseline, keys, ports in (
        ("git:v1", year, old),
        ("git:v2", year, new),
        ("git:v3", month, old),
        ("git:v4", month, new),
    ):
        assert await pages_in(app, baseline) == [("keys.md", keys), ("ports.md", ports), ("same.md", same)], baseline
        port = "4711" if ports == old else "4712"
        assert port in (await ask(app, "which port does the server listen on", baseline)).hits[0].text, baseline


async def test_a_commit_is_recorded_although_its_predecessor_is_deleted_meanwhile(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path / "project")
    repository.commit({"keys.md": KEYS.format(often="year"), "ports.md": PORTS.format(port=4711)}, "v1")
    repository.commit({"ports.md": PORTS.format(port=4712)}, "v2")
    source = await docs(app, repository.folder)
    await create(app, "v1")
    process = SlowProcess(app, "v2")
    await process.begin()
    await app.stores.baselines.delete("local", "git:v1")
    assert await app.stores.of(HistoryStore).purge(source.source_id, app.clock()) == 2
    await process.end()
    assert [name for name, _ in await pages_in(app, "git:v2")] == ["keys.md", "ports.md"]


async def test_of_two_processes_that_make_the_same_baseline_the_later_one_counts(
    app: App, repository: TestRepository
) -> None:
    await docs(app, repository.folder / "docs")
    processes = SlowProcess(app, "v1"), SlowProcess(app, "v1")
    for process in processes:
        await process.begin()
    with pytest.raises(InvalidArgument, match="began the baseline 'git:v1' again; its result counts"):
        await processes[0].end()
    await processes[1].end()
    assert len(await pages_in(app, "git:v1")) == 2


@pytest.mark.requirement("repository-tags-are-baselines")
async def test_a_model_kept_in_a_repository_has_baselines_too(app: App, tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "unit" / "features" / "archimate" / "source" / "archi_2.archimate").read_text(
        "utf-8"
    )
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


@pytest.mark.requirement("unreadable-moments-refused-clearly", "failures-have-typed-classes")
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


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_a_folder_outside_of_any_repository_is_refused(app: App, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.md").write_text("# One\n")
    await docs(app, tmp_path / "plain")
    with pytest.raises(NotInRepository, match="is not in a git repository"):
        await create(app, "v1")


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_a_file_that_was_binary_at_the_tag_is_reported_as_a_problem(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path / "project")
    repository.commit({"a.md": b"\x00\x01\x02\xff" * 50, "b.md": "# Fine\n\nThe harbour.\n"}, "v1")
    repository.commit({"a.md": "# Text now\n\nThe quay.\n"}, "v2")
    await docs(app, repository.folder)
    (made,) = await app.services.get(REPOSITORY_BASELINES).create("local", ["v1"], await app.sources.all())
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


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_creating_baselines_stops_at_a_commit_whose_model_was_broken(app: App, tmp_path: Path) -> None:
    repository = TestRepository(tmp_path / "project")
    text = (Path(__file__).parents[2] / "unit" / "features" / "archimate" / "source" / "archi_2.archimate").read_text(
        "utf-8"
    )
    repository.commit({"model.archimate": text}, "v1")
    repository.commit({"model.archimate": "<html></html>"}, "v2")
    repository.commit({"model.archimate": text.replace("Archi", "Model")}, "v3")
    await app.sources.add(NewSource("model", "archimate", {"path": str(repository.folder / "model.archimate")}))
    with pytest.raises(InvalidArgument, match="'model' cannot be read at 'v2'"):
        await create(app, "v1", "v2")
    assert [name for name, _, _ in await create(app, "v3")] == ["git:v3"]
