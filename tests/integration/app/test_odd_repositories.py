"""Baselines of repositories in which something was not there yet, is damaged, or was made to exhaust the machine."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from dulwich.objects import Blob
from tests.support.git_objects import FILE, FOLDER, LINK, SUBMODULE, commit_of, loose_path, repository, tree_of
from tests.support.git_repositories import TestRepository

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.errors import InvalidArgument
from citemark.model.sources import NewSource, Source
from citemark.services.history_keys import REPOSITORY_BASELINES
from citemark.services.repository_baselines import MadeBaseline
from citemark.settings import Settings
from citemark.store.history import HistoryStore

pytestmark = pytest.mark.requirement("repository-tags-are-baselines", "unreadable-moments-refused-clearly")

MODEL = Path(__file__).parents[2] / "unit" / "features" / "archimate" / "source" / "archi_2.archimate"
PAGE = "# Ports\n\nThe server listens on port 4711.\n"
TEXT = Blob.from_string(PAGE.encode())
DOCS = tree_of((b"ports.md", FILE, TEXT))
NOW = tree_of((b"docs", FOLDER, DOCS))


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    settings = Settings(database_url=dsn, max_file_mib=1)  # pyright: ignore[reportArgumentType]
    async with open_app(settings) as opened:
        yield opened


async def docs(app: App, folder: Path) -> Source:
    return await app.sources.add(NewSource("docs", "docs", {"root": str(folder)}))


async def create(app: App, *names: str, pattern: str | None = None) -> list[MadeBaseline]:
    return await app.services.get(REPOSITORY_BASELINES).create("local", names, await app.sources.all(), pattern=pattern)


def parts(made: list[MadeBaseline]) -> dict[str, list[str]]:
    """The sources of each baseline."""
    return {each.name: sorted(each.commits) for each in made}


async def unfinished(app: App, source: Source) -> tuple[str, ...]:
    (kept,) = await app.stores.of(HistoryStore).kept([source.source_id])
    return kept.unfinished


async def test_tags_from_before_a_folder_was_there_are_skipped(app: App, tmp_path: Path) -> None:
    repo = TestRepository(tmp_path / "project")
    repo.commit({"LICENSE": "As you like."}, "v0.1")
    repo.commit({"docs/logo.svg": "<svg/>"}, "v0.2")
    repo.commit({"docs/ports.md": PAGE}, "v1")
    repo.commit({"docs/more.md": "# More\n\nAnother port.\n"}, "v2")
    source = await docs(app, repo.folder / "docs")
    assert parts(await create(app, pattern="v*")) == {"git:v1": ["docs"], "git:v2": ["docs"]}
    with pytest.raises(
        InvalidArgument, match=r"No tag that matches 'v\*' and is without a baseline has any files of 'd"
    ):
        await create(app, pattern="v*")
    for name in ("v0.1", "v0.2"):
        with pytest.raises(InvalidArgument, match=f"'{name}' has no files of 'docs'"):
            await create(app, name)
    assert await unfinished(app, source) == ()


async def test_a_source_that_was_not_there_yet_is_left_out_of_that_baseline(app: App, tmp_path: Path) -> None:
    repo = TestRepository(tmp_path / "project")
    repo.commit({"README.md": "# Nothing yet\n"}, "v0")
    repo.commit({"docs/ports.md": PAGE}, "v1")
    repo.commit({"city.archimate": MODEL.read_text("utf-8")}, "v2")
    repo.commit({"docs/ports.md": None}, "v3")
    await docs(app, repo.folder / "docs")
    await app.sources.add(NewSource("city", "archimate", {"path": str(repo.folder / "city.archimate")}))
    assert parts(await create(app, "v1")) == {"git:v1": ["docs"]}
    assert parts(await create(app, pattern="v*")) == {"git:v2": ["city", "docs"], "git:v3": ["city"]}
    with pytest.raises(InvalidArgument, match="'v0' has no files of 'city', 'docs'"):
        await create(app, "v0")


@pytest.mark.parametrize("mode", [FILE, LINK, SUBMODULE])
async def test_a_tag_at_which_the_folder_was_something_else_is_skipped(app: App, tmp_path: Path, mode: int) -> None:
    before = tree_of((b"docs", mode, TEXT))
    tags = {"v1": commit_of(before), "v2": commit_of(NOW, 1_700_000_060)}
    work = repository(tmp_path / "project", TEXT, DOCS, before, NOW, **tags)
    await docs(app, work / "docs")
    assert parts(await create(app, pattern="v*")) == {"git:v2": ["docs"]}


async def test_a_clone_that_lacks_a_folder_is_reported_and_not_skipped(app: App, tmp_path: Path) -> None:
    other = tree_of((b"other.md", FILE, TEXT))
    before = tree_of((b"docs", FOLDER, other))
    tags = {"v1": commit_of(before), "v2": commit_of(NOW, 1_700_000_060)}
    work = repository(tmp_path / "project", TEXT, DOCS, other, before, NOW, **tags)
    loose_path(work, other.id).unlink()
    await docs(app, work / "docs")
    with pytest.raises(InvalidArgument, match="The repository does not have all of 'v1'"):
        await create(app, pattern="v*")


async def test_a_baseline_that_fails_leaves_nothing_that_keeps_history(app: App, tmp_path: Path) -> None:
    repo = TestRepository(tmp_path / "project")
    repo.commit({"docs/ports.md": PAGE, "city.archimate": "<html></html>"}, "v1")
    source = await docs(app, repo.folder / "docs")
    await app.sources.add(NewSource("model", "archimate", {"path": str(repo.folder / "city.archimate")}))
    with pytest.raises(InvalidArgument, match="'model' cannot be read at 'v1'"):
        await create(app, "v1")
    assert await unfinished(app, source) == ()
    assert await app.stores.of(HistoryStore).purge(source.source_id, app.clock()) == 1


async def test_damage_is_reported_and_a_damaged_tag_does_not_keep_others_out(app: App, tmp_path: Path) -> None:
    other = Blob.from_string(b"# Other\n\nThe quay.\n")
    folder = tree_of((b"other.md", FILE, other))
    tree = tree_of((b"docs", FOLDER, folder))
    tags = {"v1": commit_of(NOW), "v2": commit_of(tree, 1_700_000_060), "v3": commit_of(NOW, 1_700_000_120)}
    work = repository(tmp_path / "project", TEXT, other, DOCS, NOW, folder, tree, **tags)
    source = await docs(app, work / "docs")
    for damaged in (other, tags["v2"]):
        path = loose_path(work, damaged.id)
        path.chmod(0o600)
        path.write_bytes(b"damaged")
        with pytest.raises(InvalidArgument, match="of the git repository is damaged"):
            await create(app, "v2")
        assert await unfinished(app, source) == ()
    assert parts(await create(app, pattern="v*")) == {"git:v1": ["docs"], "git:v3": ["docs"]}


async def test_files_beyond_the_limit_are_problems_and_over_long_names_are_left_out(app: App, tmp_path: Path) -> None:
    large = Blob.from_string(b"# Large\n" + b"\0" * 30_000_000)
    folder = tree_of((b"ports.md", FILE, TEXT), (b"large.md", FILE, large), (b"n" * 297 + b".md", FILE, TEXT))
    tree = tree_of((b"docs", FOLDER, folder))
    work = repository(tmp_path / "project", TEXT, large, folder, tree, v1=commit_of(tree))
    await docs(app, work / "docs")
    (made,) = await create(app, "v1")
    assert made.written == 1
    (problem,) = made.problems["docs"]
    assert problem.native_id == "large.md"
    assert "has 30,000,008 bytes, more than the 1,048,576 that are read" in problem.message


@pytest.mark.requirement("git-read-in-child")
async def test_a_repository_that_takes_longer_than_it_may_is_given_up(dsn: str, tmp_path: Path) -> None:
    repo = TestRepository(tmp_path / "project")
    repo.commit({"docs/ports.md": PAGE}, "v1")
    settings = Settings(database_url=dsn, parse_seconds=0.001)  # pyright: ignore[reportArgumentType]
    async with open_app(settings) as app:
        await docs(app, repo.folder / "docs")
        with pytest.raises(InvalidArgument, match="CITEMARK_PARSE_SECONDS"):
            await create(app, "v1")
