"""`citemark source set` and a folder that is added twice, over a real index."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.change_source_command import SourceChange, change_source
from citemark.cli.command_context import CommandContext
from citemark.cli.consent import Mode
from citemark.model.errors import ConfigurationError, InvalidArgument
from citemark.model.scope import RequestScope
from citemark.model.source_labels import LabelChange, SourceLabels
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, CitationRef, SearchRequest
from citemark.settings import Settings

RUN = CommandContext(open_app, json=True)


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    (folder / "drafts").mkdir(parents=True)
    (folder / "ports.md").write_text("# Ports\n\nThe server listens on port 4711.\n")
    (folder / "drafts" / "keys.md").write_text("# Keys\n\nKeys are rotated every year.\n")
    return folder


async def add(app: App, root: Path, *, overlapping: bool = False, sync: bool = True, **given: Any) -> int:
    wanted: dict[str, Any] = {"language": "english", "overlapping": overlapping, **given}
    return await add_docs_source(RUN, app, DocsRequest(path=root, **wanted), sync=sync)


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


async def hit(app: App, question: str, tag: str | None = None) -> Any:
    scope = RequestScope(doc_tags=() if tag is None else (tag,))
    page = await app.services.search.find(Caller.local(), SearchRequest(question, scope=scope))
    return page.hits[0] if page.hits else None


@pytest.mark.requirement("source-changed-without-losing-vectors")
async def test_a_changed_source_keeps_its_vectors_and_its_citations(
    app: App, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await add(app, root)
    assert printed(capsys)["vectors"] == 2
    cited = (await hit(app, "Which port does the server listen on?")).citation
    assert cited.source == "handbook"

    change = SourceChange(name="manual", labels=LabelChange(("ops",)), exclude=("drafts/",))
    assert await change_source(RUN, app, "handbook", change, sync=True, mode=Mode(yes=True)) == 0
    done = printed(capsys)
    assert (done["chunks"], done["vectors"], done["sources"]["manual"]["gone"]) == (0, 0, 1)
    found = await hit(app, "Which port does the server listen on?", tag="ops")
    assert (found.citation.source, found.citation.revision_id) == ("manual", cited.revision_id)
    assert await hit(app, "When are keys rotated?") is None

    ref = CitationRef(source="handbook", document_id=cited.document_id, revision_id=cited.revision_id)
    checked = await app.services.quotes.verify(Caller.local(), ref, "The server listens on port 4711.")
    assert checked.holds == "exact"
    assert checked.found_at is not None
    assert checked.found_at.source == "manual"


@pytest.mark.requirement("source-changed-without-losing-vectors")
async def test_an_old_name_means_one_source_only(app: App, root: Path, tmp_path: Path) -> None:
    await add(app, root, sync=False)
    for name in ("manual", "guide", "handbook", "guide"):
        former = next(iter(await app.stores.sources.all("local"))).name
        await change_source(RUN, app, former, SourceChange(name=name), sync=False)
    (source,) = await app.stores.sources.all("local")
    assert (source.name, source.former_names) == ("guide", ("manual", "handbook"))
    with pytest.raises(InvalidArgument, match="'manual' is called 'guide' now"):
        await app.stores.sources.named("local", "manual")
    with pytest.raises(InvalidArgument, match="was the name of the source 'guide'"):
        await app.stores.sources.add(NewSource("manual", "docs", {"root": str(tmp_path)}))
    other = await app.stores.sources.add(NewSource("other", "docs", {"root": str(tmp_path)}))
    for taken in ("guide", "handbook"):
        with pytest.raises(InvalidArgument, match="give another --name"):
            await change_source(RUN, app, other.name, SourceChange(name=taken), sync=False)


@pytest.mark.requirement("source-changed-without-losing-vectors")
async def test_settings_are_replaced_taken_away_or_refused(
    app: App, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await add(app, root, sync=False, exclude=("drafts/",), labels=SourceLabels(("a", "b"), environment="test"))
    labels = LabelChange((), "p", environment="")
    change = SourceChange(exclude=(), include=("*.md",), labels=labels, url="https://x.org")
    await change_source(RUN, app, "handbook", change, sync=False)
    (source,) = await app.stores.sources.all("local")
    assert source.config == {"root": str(root), "ignore": True, "include": ["*.md"], "url": "https://x.org"}
    assert source.labels == SourceLabels(project_id="p")
    capsys.readouterr()
    await change_source(RUN, app, "handbook", change, sync=True)
    assert printed(capsys) == {"changed": "handbook", "name": "handbook"}
    for wrong, kind in (
        (SourceChange(), InvalidArgument),
        (SourceChange(name=" "), InvalidArgument),
        (SourceChange(include=("!",)), ConfigurationError),
    ):
        with pytest.raises(kind):
            await change_source(RUN, app, "handbook", wrong, sync=False)
    model = await app.stores.sources.add(NewSource("plan", "archimate", {"path": "/plan.archimate"}))
    with pytest.raises(InvalidArgument, match="of kind archimate"):
        await change_source(RUN, app, model.name, SourceChange(include=("*.md",)), sync=False)
    account = {"server": "https://cloud.example", "login": "eva", "user": "eva", "files": {"exclude": ["a/"]}}
    await app.stores.sources.add(NewSource("cloud", "nextcloud", account))
    await change_source(RUN, app, "cloud", SourceChange(exclude=("b/",), labels=LabelChange(("home",))), sync=False)
    cloud = await app.stores.sources.named("local", "cloud")
    assert (cloud.config, cloud.labels.tags) == ({**account, "files": {"exclude": ["b/"]}}, ("home",))


@pytest.mark.requirement("adding-again-says-what-exists")
async def test_a_folder_that_is_read_already_is_named_and_not_added(app: App, root: Path, tmp_path: Path) -> None:
    await add(app, root, sync=False)
    (tmp_path / "link").symlink_to(root)
    for again, says in (
        (root, "is already the source 'handbook'"),
        (tmp_path / "link", "is already the source 'handbook'"),
        (root / "drafts", "is inside the folder of the source 'handbook'"),
        (tmp_path, "folder of the source 'handbook' is inside"),
    ):
        with pytest.raises(InvalidArgument, match=says) as refused:
            await add(app, again, sync=False, name="again")
        assert "citemark source set handbook" in refused.value.message
    assert [source.name for source in await app.stores.sources.all("local")] == ["handbook"]
    await add(app, tmp_path, sync=False, name="around", exclude=("handbook/",))
    await add(app, root / "drafts", sync=False, name="again", overlapping=True)
    assert len(await app.stores.sources.all("local")) == 3


async def test_a_folder_that_its_source_leaves_out_may_be_a_source_of_its_own(app: App, root: Path) -> None:
    await add(app, root, sync=False, exclude=("drafts/",))
    await add(app, root / "drafts", sync=False)
    assert [source.name for source in await app.stores.sources.all("local")] == ["drafts", "handbook"]
