"""Links that lead nowhere are told with their place, and are mended by what they lead to."""

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.integration.app.test_documents import Place, place
from tests.support.docx_files import word

from citemark.app.open_index import open_app
from citemark.cli.command_context import CommandContext
from citemark.cli.status_command import list_problems, show_status
from citemark.cli.sync_command import sync_sources
from citemark.extraction.content_lines import MOST_OF_A_NAME

__all__ = ["place"]

PAGES = {
    "guide.md": "# Guide\n\nSee [the setup](setup.md), [its end](setup.md#the-end), [a part](setup.md#parts-1)\n"
    "and [nothing](missing.md).\n\nA [named place](setup.md#here), [text](#guide), [note][^1] and [logo](logo.png).\n\n"
    "[^1]: [elsewhere](https://a.example)\n",
    "setup.md": '# Setup\n\n## Parts\n\n<a id="here"></a>One.\n\n## Parts\n\nTwo.\n',
}


async def problems(place: Place, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int, str]]:
    capsys.readouterr()
    assert await list_problems(CommandContext(open_app, json=True, quiet=True), place.app, ["docs"], 100) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["sources"][0]
    assert found["broken_links_total"] == len(found["broken_links"])
    return [(link["native_id"], link["line"], link["target"]) for link in found["broken_links"]]


@pytest.mark.requirement("broken-links-are-reported")
async def test_a_link_to_a_missing_page_or_heading_is_reported_with_its_line_until_the_target_appears(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place.folder, PAGES)
    await place.add()
    assert await problems(place, capsys) == [("guide.md", 3, "setup.md#the-end"), ("guide.md", 4, "missing.md")]
    write(place.folder, {"missing.md": "# Found\n", "setup.md": PAGES["setup.md"] + "\n## The end\n"})
    await place.sync()
    assert await problems(place, capsys) == []


@pytest.mark.requirement("broken-links-are-reported")
async def test_a_link_without_a_suffix_is_mended_by_the_page_that_appears(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    links = "See [x](setup), [y](tools.mdx#use), [z](more/), [home](/start) and [no](nothing).\n"
    write(place.folder, {"sub/guide.md": f"# Guide\n\n{links}", "other.md": "# Other\n\n[nothing](nothing) here.\n"})
    await place.add()
    targets = ["sub/setup", "sub/tools.mdx#use", "sub/more", "start", "sub/nothing"]
    assert await problems(place, capsys) == [
        ("other.md", 3, "nothing"),
        *(("sub/guide.md", 3, target) for target in targets),
    ]
    appearing = {"sub/setup.md": "# Setup\n", "sub/tools/index.mdx": "# Use\n", "sub/more/README.md": "# More\n"}
    write(place.folder, {**appearing, "sub/start.html": "<h1>Start</h1><p>Here.</p>"})
    await place.sync()
    assert await problems(place, capsys) == [("other.md", 3, "nothing"), ("sub/guide.md", 3, "sub/nothing")]


async def test_pages_whose_links_lead_somewhere_are_not_read_again_for_a_new_page(place: Place) -> None:
    write(place.folder, {"guide.md": "# Guide\n\n[x](setup), [y](more.md).\n", "setup.md": "# Setup\n"})
    await place.add()
    write(place.folder, {"sub/setup.md": "# Other\n", "more.md": "# More\n"})
    report = await place.app.sync(await place.app.local_sources())
    assert report.documents == 2


@pytest.mark.requirement("every-command-has-json")
async def test_a_list_of_problems_that_was_cut_says_so(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    write(place.folder, {f"{number:03}.pdf": "no PDF" for number in range(21)})
    await place.add()
    capsys.readouterr()
    for limit, cut in ((20, True), (21, False)):
        await list_problems(CommandContext(open_app, quiet=True), place.app, ["docs"], limit)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == limit + cut
        assert ("docs: more problems; --limit shows more" in lines) is cut
        await list_problems(CommandContext(open_app, json=True, quiet=True), place.app, ["docs"], limit)
        (found,) = json.loads(capsys.readouterr().out)["sources"]
        assert (len(found["problems"]), found["more_problems"]) == (limit, cut)
    await show_status(CommandContext(open_app, quiet=True), place.app)
    assert "docs: more than 20 problems; `citemark problems docs` lists them" in capsys.readouterr().out


async def test_a_sync_with_more_problems_than_it_shows_says_so(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("citemark.cli.sync_command._MOST_PROBLEMS", 2)
    write(place.folder, {f"{number}.pdf": "no PDF" for number in range(3)})
    await place.add()
    capsys.readouterr()
    await sync_sources(CommandContext(open_app, quiet=True), place.app, ["docs"])
    lines = capsys.readouterr().out.splitlines()
    assert "  docs: more than 2 problems; `citemark problems docs` lists them" in lines
    assert len([line for line in lines if line.startswith("    ") and ".pdf" in line]) == 1


def write(folder: Path, pages: dict[str, str]) -> None:
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.requirement("what-is-left-out-is-listed")
async def test_files_that_are_not_read_whole_or_not_as_utf_8_are_noticed_without_being_problems(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place.folder, {"plain.md": "# Plain\n\nWords.\n", "page.html": "<p>Some words.</p><iframe src=x></iframe>"})
    (place.folder / "old.md").write_bytes("# Öfen\n\nGrüße aus der Küche.\n".encode("cp1252"))
    await place.add()
    capsys.readouterr()
    assert await list_problems(CommandContext(open_app, json=True, quiet=True), place.app, ["docs"], 100) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["sources"][0]
    assert found["problems"] == []
    assert [(notice["native_id"], notice["message"]) for notice in found["notices"]] == [
        ("old.md", "It is not plain UTF-8; it is read as Windows-1252."),
        ("page.html", "Not read: 1 embedded page."),
    ]
    await show_status(CommandContext(open_app, json=False, quiet=False), place.app)
    assert "old.md" not in capsys.readouterr().out
    (place.folder / "old.md").write_text("# Öfen\n", encoding="utf-8")
    await place.sync()
    assert await list_problems(CommandContext(open_app, json=False, quiet=False), place.app, ["docs"], 100) == 0
    assert "old.md" not in capsys.readouterr().out


@pytest.mark.requirement("what-is-left-out-is-listed", "one-bad-detail")
async def test_lines_that_are_cut_and_parts_that_are_lost_are_noticed(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    remarks = "".join(f"COMMENT:remark {number}\r\n" for number in range(MOST_OF_A_NAME + 7))
    event = f"BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Pump check\r\nDTSTART:20260301T090000Z\r\n{remarks}END:VEVENT\r\n"
    write(place.folder, {"check.ics": f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{event}END:VCALENDAR\r\n"})
    out = BytesIO()
    with (
        ZipFile(BytesIO(word(lambda document: document.add_paragraph("The pump.")))) as whole,
        ZipFile(out, "w") as broken,
    ):
        for name in whole.namelist():
            content = whole.read(name)
            broken.writestr(name, content[:-20] if name == "docProps/core.xml" else content)
    (place.folder / "plan.docx").write_bytes(out.getvalue())
    await place.add()
    capsys.readouterr()
    assert await list_problems(CommandContext(open_app, json=True, quiet=True), place.app, ["docs"], 100) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])["sources"][0]
    assert found["problems"] == []
    said = {notice["native_id"]: notice["message"] for notice in found["notices"]}
    assert said == {
        "check.ics": "7 more lines of the data are left out. It repeats one pattern, like a log: after its first 100 "
        "passages it is found by its words only.",
        "plan.docx": "Not read: 1 damaged part.",
    }
