"""`citemark open` takes what was printed, paths, citations and handles, and starts programs."""

import io
import json
from collections.abc import AsyncGenerator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import docx
import pytest

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.cli.add_source_command import DocsRequest, add_docs_source
from citemark.cli.command_context import CommandContext
from citemark.cli.open_command import Starting, open_command
from citemark.cli.sync_command import sync_sources
from citemark.model.errors import InvalidArgument
from citemark.results.common_parts import place_of
from citemark.services.requests import Caller, SearchRequest
from citemark.settings import Settings
from citemark.text.citation_line import line_of

AS_JSON = CommandContext(open_app, json=True, quiet=True)
TEXT = "# The axle\n\nOf steel.\n\n## Care\n\nGrease the axle twice a year.\n"
QUESTION = "how often is the axle greased"


@pytest.fixture
async def app(dsn: str, tmp_path: Path) -> AsyncGenerator[App, None]:
    (tmp_path / "docs" / "the parts").mkdir(parents=True)
    (tmp_path / "docs" / "the parts" / "axle, old.md").write_text(TEXT, "utf-8")
    request = DocsRequest(path=tmp_path / "docs", overlapping=True, language="english")
    async with open_app(Settings(database_url=dsn)) as opened:  # pyright: ignore[reportArgumentType]
        assert await add_docs_source(AS_JSON, opened, request, sync=True) == 0
        yield opened


async def opened(capsys: pytest.CaptureFixture[str], app: App, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert await open_command(AS_JSON, app, words) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    return json.loads(line)


@pytest.mark.requirement("open-what-was-printed")
async def test_everything_that_was_printed_opens_the_cited_lines(
    app: App, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller.local()
    page = await app.services.search.find(caller, SearchRequest(QUESTION, min_score=0.0))
    hit = next(hit for hit in page.hits if "Grease" in hit.preview)
    document, printed = hit.citation.document_id, line_of(hit.citation, named=True)
    monkeypatch.chdir(tmp_path / "docs")
    for given in (
        (f"   [{printed}]",),
        tuple(printed.split(" ")),
        (f"{hit.rank}. The axle\n   [{printed}]",),
        (place_of([hit.citation], hit.passage_id),),
        (f"(as [2], line 1; {hit.passage_id})",),
        (hit.passage_id,),
        (f"citemark://scratch/{caller.session_id}/{hit.passage_id}",),
        (json.dumps({"passage_id": hit.passage_id}),),
        (json.dumps(dict(hit.citation.as_dict())),),
        (json.dumps([{"rank": 1, "citation": dict(hit.citation.as_dict())}]),),
        (document,),
        (str(tmp_path / "docs" / "the parts" / "axle, old.md"),),
        (f"{tmp_path / 'docs' / 'the parts' / 'axle, old.md'}:7",),
        ((tmp_path / "docs" / "the parts" / "axle, old.md").as_uri(),),
        ("./the parts/axle, old.md",),
    ):
        assert "Grease the axle twice a year." in (await opened(capsys, app, *given))["text"], given
    monkeypatch.chdir(tmp_path / "docs" / "the parts")
    assert "Grease" in (await opened(capsys, app, "axle, old.md"))["text"]
    monkeypatch.chdir(tmp_path)
    assert "Grease" in (await opened(capsys, app, "the parts/axle, old.md"))["text"]


@pytest.mark.requirement("open-what-was-printed")
async def test_a_line_behind_the_end_of_a_document_opens_all_of_it(
    app: App, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "docs" / "the parts" / "axle, old.md"
    assert (await opened(capsys, app, f"{file}:700"))["text"] == (await opened(capsys, app, str(file)))["text"]


@pytest.mark.requirement("open-what-was-printed")
async def test_what_refers_to_nothing_is_said_with_what_would_work(app: App, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("text", "utf-8")
    for wrong, said in (
        ("no such thing", "Nothing is known by 'no such thing'. Give the JSON"),
        ("", "Nothing is known by ''"),
        ("docs: gone.md, lines 1-2, revision 3", "No source has 'gone.md' at revision 3"),
        (str(tmp_path / "other.md"), "exists, but the index has no document of it"),
        ("p_" + "A" * 10, "is unknown or expired"),
    ):
        with pytest.raises(InvalidArgument, match=said):
            await open_command(AS_JSON, app, (wrong,))


@pytest.mark.requirement("open-in-the-editor")
async def test_the_editor_is_given_the_line_where_the_cited_words_stand_now(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "vi"
    editor.write_text("#!/bin/sh\n", "utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    file = tmp_path / "docs" / "the parts" / "axle, old.md"
    page = await app.services.search.find(Caller.local(), SearchRequest(QUESTION, min_score=0.0))
    printed = next(line_of(hit.citation) for hit in page.hits if "Grease" in hit.preview)

    async def command() -> list[str]:
        starting = Starting()
        assert await open_command(AS_JSON, app, (printed,), "editor", starting) == 0
        return list(starting.command)

    (_, before, _) = await command()
    file.write_text("New.\n\n" + TEXT, "utf-8")
    await sync_sources(AS_JSON, app, ())
    assert await command() == [str(editor), f"+{int(before[1:]) + 2}", str(file)]
    file.write_text("Other words.\n", "utf-8")
    assert await command() == [str(editor), str(file)]


@pytest.mark.requirement("open-on-the-desktop")
async def test_the_desktop_is_given_the_file(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("open", "xdg-open"):
        (tmp_path / name).write_text("#!/bin/sh\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    starting = Starting()
    await open_command(AS_JSON, app, ("the parts/axle, old.md",), "desktop", starting)
    assert starting.command[1:] == [str(tmp_path / "docs" / "the parts" / "axle, old.md")]


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[str, datetime], None]:
    def store(name: str, modified: datetime) -> None:
        document, data = docx.Document(), io.BytesIO()
        document.add_paragraph(f"The {name} crane lifts nine tons.")
        document.core_properties.created = datetime(2020, 2, 3)  # noqa: DTZ001 - the library takes no zone
        document.core_properties.modified = modified.replace(tzinfo=None)
        document.save(data)
        (tmp_path / "docs" / f"{name}.docx").write_bytes(data.getvalue())

    return store


@pytest.mark.requirement("dates-are-the-files-own")
async def test_a_file_is_not_dated_in_the_future(app: App, stored: Callable[[str, datetime], None]) -> None:
    now = datetime.now(UTC)
    stored("past", now - timedelta(days=30))
    stored("coming", now + timedelta(days=30))
    await sync_sources(AS_JSON, app, ())
    page = await app.services.search.find(Caller.local(), SearchRequest("crane lifts tons", min_score=0.0))
    dated = {hit.citation.document_id: hit.citation.day for hit in page.hits}
    assert dated["past.docx"] == f"{now - timedelta(days=30):%Y-%m-%d}"
    assert dated["coming.docx"] == "2020-02-03"
