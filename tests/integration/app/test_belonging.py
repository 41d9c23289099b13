"""What of a folder is indexed, what is not, and that both are counted."""

import json
import os
from collections.abc import AsyncGenerator, Awaitable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.developer_folder import CERTIFICATE, KEY, OTHERS, THEIRS, developer_folder, files_in, write

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.change_source_command import SourceChange, change_source
from citemark.cli.command_context import CommandContext
from citemark.cli.consent import Mode
from citemark.cli.status_command import list_left_out, show_status
from citemark.cli.sync_command import sync_sources
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings

AS_JSON = CommandContext(open_app, json=True, quiet=True)
AS_TEXT = CommandContext(open_app, quiet=True)
AGREED = Mode(yes=True)


@pytest.fixture
async def app(dsn: str) -> AsyncGenerator[App, None]:
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    return tmp_path / "code"


class Printed:
    """What a command printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    async def text(self, command: Awaitable[int], code: int = 0) -> str:
        self._capsys.readouterr()
        assert await command == code
        return self._capsys.readouterr().out

    async def data(self, command: Awaitable[int], code: int = 0) -> dict[str, Any]:
        lines = (await self.text(command, code)).splitlines()
        (line,) = [line for line in lines if line.startswith("{")]
        return json.loads(line)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Printed:
    return Printed(capsys)


def request(root: Path, **given: Any) -> DocsRequest:
    wanted: dict[str, Any] = {"language": "english", "overlapping": False, **given}
    return DocsRequest(path=root, **wanted)


async def indexed(app: App, name: str = "code") -> set[str]:
    source = await app.sources.named(name)
    known = await app.stores.ledger.known(source.source_id)
    return {native_id for (_, native_id), entry in known.items() if entry.indexed is not None}


async def counted(app: App, name: str = "code") -> dict[str, int]:
    left_out = await app.sources.left_out((await app.sources.named(name)).source_id)
    assert left_out is not None
    counts: dict[str, int] = {}
    for group in left_out.groups:
        counts[group.exclusion.reason] = counts.get(group.exclusion.reason, 0) + group.files
    return counts


@pytest.mark.requirement("what-belongs", "developer-folder", "left-out-counted")
async def test_of_a_developers_folder_all_documents_of_the_person_and_hardly_others_are_indexed(
    app: App, root: Path, printed: Printed
) -> None:
    developer_folder(root)
    added = await printed.data(add_docs_source(AS_JSON, app, request(root), sync=True))
    found = await indexed(app)
    assert found >= THEIRS.keys()
    assert len(found & THEIRS.keys()) / len(found) >= 0.98
    left_out = added["sources"]["code"]["left_out"]
    assert len(found) + left_out["files"] == files_in(root)
    page = await app.services.search.find(Caller.local(), SearchRequest("router password hunter2", min_score=0))
    assert all("hunter2" not in hit.preview for hit in page.hits)
    text = await printed.text(show_status(AS_TEXT, app))
    assert "63 in venv" not in text
    assert "60 in node_modules" in text
    assert "3 ignored by .gitignore" in text
    assert "3 secrets" in text
    status = await printed.data(show_status(AS_JSON, app))
    assert status["sources"][0]["left_out"] == left_out


FOLDERS: Mapping[str, tuple[dict[str, str], dict[str, Any]]] = {
    "plain": ({"a.md": "a", "b.png": "b", ".c": "c", "build/d.md": "d", "target/e.md": "e"}, {}),
    "with patterns": (
        {"a.md": "a", "b.py": "b", "x/c.md": "c", "x/d.py": "d"},
        {"include": ("*.py",), "exclude": ("x/",)},
    ),
    "with additions": (
        {"a.md": "a", "b.py": "b", "c.log": "c", ".git/x": "x", ".gitignore": "*.md"},
        {"also": ("*.py",)},
    ),
    "a saved page": ({"p.html": "<p>page</p>", "p_files/a.html": "<p>ad</p>", "~$q.docx": "x"}, {}),
    "broken files": ({"a.docx": "no zip", "b.md": "b", "c.pdf": ""}, {}),
    "a work tree": (dict(OTHERS), {}),
    "not ignoring": ({**OTHERS, **THEIRS}, {"ignore": False}),
    "nothing at all": ({}, {}),
}


@pytest.mark.requirement("left-out-counted")
@pytest.mark.parametrize("case", FOLDERS)
async def test_every_file_is_indexed_failed_or_counted_by_reason(
    app: App, root: Path, printed: Printed, case: str
) -> None:
    files, given = FOLDERS[case]
    for path, text in files.items():
        write(root, path, text)
    if case == "broken files":
        (root / "leads nowhere.md").symlink_to("gone.md")
        (root / "huge.md").touch()
        os.truncate(root / "huge.md", 30 << 20)
        (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    await printed.data(add_docs_source(AS_JSON, app, request(root, **given), sync=True))
    (status,) = await app.status.sources()
    known = await app.stores.ledger.known((await app.sources.named("code")).source_id)
    failed = sum(entry.indexed is None for entry in known.values())
    on_disk = sum(len(names) for _, _, names in os.walk(root))
    assert status.documents + failed + sum((await counted(app)).values()) == on_disk


@pytest.mark.requirement("secrets-never-indexed")
async def test_no_option_indexes_a_secret_and_each_is_told(app: App, root: Path, printed: Printed) -> None:
    for path in (".env", "id_rsa", "deploy.pem", "notes/key.txt", ".aws/credentials", "config/credentials.json"):
        write(root, path, KEY)
    write(root, "public.pem", CERTIFICATE)
    (root / "harmless.txt").symlink_to(".env")
    include = ("**", ".env", "id_rsa", "*.pem", ".aws/credentials", "harmless.txt")
    await printed.data(
        add_docs_source(AS_JSON, app, request(root, include=include, also=include, ignore=False), sync=True)
    )
    assert await indexed(app) == {"public.pem"}
    assert (await counted(app))["secret"] == 6
    problems = await app.sources.problems((await app.sources.named("code")).source_id)
    assert [(each.native_id, "private key" in each.message) for each in problems] == [("notes/key.txt", True)]
    listed = await printed.text(list_left_out(AS_TEXT, app, ()))
    assert "code: 6 secrets: secrets are never indexed, and no option includes them\n" in listed
    assert "  .env\n" in listed


@pytest.mark.requirement("exceptions-by-name")
async def test_each_option_that_the_list_gives_includes_what_it_names(app: App, root: Path, printed: Printed) -> None:
    developer_folder(root, packages=2)
    await printed.data(add_docs_source(AS_JSON, app, request(root), sync=True))
    listing = await printed.data(list_left_out(AS_JSON, app, ()))
    patterns: list[str] = []
    for group in listing["sources"][0]["groups"]:
        option = group["option"]
        if "--also '" in option:
            patterns.append(option.partition("--also '")[2].partition("'")[0])
        else:
            assert group["reason"] == "secret"
    before = await indexed(app)
    for pattern in patterns:
        await printed.data(change_source(AS_JSON, app, "code", SourceChange(also=(pattern,)), sync=True))
    after = await indexed(app)
    assert before < after
    assert {"node_modules/module1/README.md", "build/index.html", "package-lock.json", ".github/ISSUE.md"} <= after
    assert len({path for path in after if path.startswith((".env", "id_rsa", "deploy"))}) == 0


@pytest.mark.requirement("also-adds")
async def test_a_generic_pattern_brings_in_nothing_that_is_left_out(app: App, root: Path, printed: Printed) -> None:
    developer_folder(root, packages=2)
    await printed.data(add_docs_source(AS_JSON, app, request(root, also=("*.py", "*.md", "**/*.html")), sync=True))
    assert await indexed(app) == {*THEIRS, "src/widgets/__init__.py"}
    change = SourceChange(also=("*.toml",))
    await printed.data(change_source(AS_JSON, app, "code", change, sync=True))
    assert await indexed(app) == {*THEIRS, "src/widgets/__init__.py", "pyproject.toml", "Cargo.toml"}


@pytest.mark.requirement("rules-adopted-by-choice")
async def test_a_source_of_before_keeps_its_rule_and_its_person_is_told_once_how_to_adopt_the_new_one(
    app: App, root: Path, printed: Printed
) -> None:
    developer_folder(root, packages=2)
    old = await app.sources.add(NewSource("code", "docs", {"root": str(root)}))
    first = await printed.text(sync_sources(AS_TEXT, app, ("code",)))
    assert "`citemark source set code --ignore` adopts both" in first
    before = await indexed(app)
    assert {"private/diary.md", "target/doc/help.html"} < before
    assert "--ignore" not in await printed.text(sync_sources(AS_TEXT, app, ("code",)))
    assert "--ignore" not in await printed.text(show_status(AS_TEXT, app))
    assert old.config.get("ignore") is None
    preview = await printed.text(
        change_source(AS_TEXT, app, "code", SourceChange(ignore=True), sync=True, mode=Mode(dry_run=True))
    )
    assert "would leave the index" in preview
    assert await indexed(app) == before
    await printed.data(change_source(AS_JSON, app, "code", SourceChange(ignore=True), sync=True, mode=AGREED))
    assert await indexed(app) == set(THEIRS)


@pytest.mark.requirement("everything-left-out")
async def test_a_source_whose_settings_leave_out_everything_is_told_so_and_not_called_suddenly_empty(
    app: App, root: Path, printed: Printed
) -> None:
    for number in range(3):
        write(root, f"{number}.md", "text")
    await printed.data(add_docs_source(AS_JSON, app, request(root), sync=True))
    change = SourceChange(exclude=("*.md",))
    text = await printed.text(change_source(AS_TEXT, app, "code", change, sync=True, mode=AGREED))
    assert "3 gone (everything is left out (3 left out by --exclude), so it has no documents)" in text
    assert "suddenly empty" not in text
    assert await indexed(app) == set()


async def test_a_folder_that_is_really_empty_is_still_not_believed_at_once(
    app: App, root: Path, printed: Printed
) -> None:
    write(root, "a.md", "text")
    write(root, ".keep", "")
    await printed.data(add_docs_source(AS_JSON, app, request(root), sync=True))
    (root / "a.md").unlink()
    assert "suddenly empty" in await printed.text(sync_sources(AS_TEXT, app, ("code",)))
    assert await indexed(app) == {"a.md"}


@pytest.mark.requirement("gitignore-obeyed")
async def test_a_document_that_is_ignored_from_now_on_is_not_shown_any_more(
    app: App, root: Path, printed: Printed
) -> None:
    developer_folder(root, packages=1)
    await printed.data(add_docs_source(AS_JSON, app, request(root), sync=True))

    async def hits() -> list[str]:
        page = await app.services.search.find(
            Caller.local(), SearchRequest("Square widgets come in spring", min_score=0)
        )
        return [hit.citation.document_id for hit in page.hits]

    assert any(document.startswith("notes/plan.md") for document in await hits())
    write(root, ".gitignore", "/notes/\n")
    assert not any(document.startswith("notes/") for document in await hits())
