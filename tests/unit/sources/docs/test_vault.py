"""What the settings of a vault say: templates, daily notes, and the addresses that open its notes."""

import json
import os
from pathlib import Path

import pytest

from citemark.model.ids import NativeId
from citemark.model.left_out import LeftOutReason
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.docs.vault import vault_of


def vault(folder: Path, settings: dict[str, object]) -> Path:
    for name, value in settings.items():
        file = folder / ".obsidian" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value if isinstance(value, str) else json.dumps(value))
    (folder / ".obsidian").mkdir(exist_ok=True)
    return folder


@pytest.mark.requirement("notes-open-in-their-app")
def test_a_note_of_a_vault_has_the_address_that_opens_it_in_the_app(tmp_path: Path) -> None:
    top = tmp_path / "Second Brain"
    (top / "Work & home").mkdir(parents=True)
    vault(top, {})
    whole, part = DocsSettings(top), DocsSettings(top / "Work & home")
    assert (
        whole.url_of(NativeId("a/Ä note.md"), whole.vault())
        == "obsidian://open?vault=Second%20Brain&file=a%2F%C3%84%20note"
    )
    assert (
        part.url_of(NativeId("plan.md"), part.vault())
        == "obsidian://open?vault=Second%20Brain&file=Work%20%26%20home%2Fplan"
    )
    assert whole.url_of(NativeId("map.canvas"), whole.vault()) == "obsidian://open?vault=Second%20Brain&file=map.canvas"
    assert whole.url_of(NativeId("budget.xlsx"), whole.vault()) is None, "the app does not open it"
    above = DocsSettings(tmp_path)
    assert above.url_of(NativeId("Second Brain/a.md"), above.vault()) is None, "the folder is no part of the vault"


@pytest.mark.requirement("notes-open-in-their-app")
def test_an_address_that_a_person_gives_comes_first_and_none_is_none(tmp_path: Path) -> None:
    vault(tmp_path, {})
    assert DocsSettings(tmp_path, url="https://n.example").url_of(NativeId("a.md"), None) == "https://n.example/a.md"
    assert DocsSettings(tmp_path, url="none").url_of(NativeId("a.md"), None) is None


@pytest.mark.requirement("templates-are-left-out")
def test_the_folders_of_templates_are_left_out_unless_a_pattern_names_them(tmp_path: Path) -> None:
    vault(
        tmp_path,
        {
            "templates.json": {"folder": "Meta/Templates/"},
            "plugins/templater-obsidian/data.json": {"templates_folder": "Scripts"},
        },
    )
    (tmp_path / "Meta/Templates/deep").mkdir(parents=True)
    left = DocsSettings(tmp_path, ignore=True).belonging().of_folder("Meta/Templates").exclusion
    assert left is not None
    assert (left.reason, left.where, left.kind) == (LeftOutReason.FOLDER, "Templates", "templates")
    settings = DocsSettings(tmp_path, ignore=True)
    assert not settings.takes(NativeId("Meta/Templates/deep/day.md"))
    assert not settings.takes(NativeId("Scripts/x.md"))
    assert settings.takes(NativeId("Meta/day.md"))
    assert DocsSettings(tmp_path, ignore=True, also=("Scripts/",)).takes(NativeId("Scripts/x.md"))
    below = DocsSettings(tmp_path / "Meta", ignore=True)
    assert not below.takes(NativeId("Templates/day.md")), "the source is a folder of the vault"
    assert DocsSettings(tmp_path, ignore=None).takes(NativeId("Scripts/x.md")), "it was added before the rule"


@pytest.mark.requirement("daily-notes-have-their-day")
def test_daily_notes_are_where_the_settings_of_the_vault_put_them(tmp_path: Path) -> None:
    top = vault(tmp_path / "v", {"daily-notes.json": {"folder": "log", "format": "DD.MM.YYYY"}})
    found = vault_of(str(top))
    assert found is not None
    assert found.daily is not None
    assert found.daily.day_of("log/03.02.2026.md") is not None
    (top / "log").mkdir()
    inside = vault_of(str(top / "log"))
    assert inside is not None
    assert inside.daily is not None
    assert inside.daily.day_of("03.02.2026.md") is not None
    (top / "other").mkdir()
    beside = vault_of(str(top / "other"))
    assert beside is not None
    assert beside.daily is None


@pytest.mark.requirement("templates-are-left-out")
@pytest.mark.parametrize("text", ["", "{", "[]", '{"folder": 7}', '{"folder": ".."}', '{"folder": "/"}', "[" * 100_000])
def test_settings_that_make_no_sense_leave_nothing_out(tmp_path: Path, text: str) -> None:
    vault(tmp_path, {"templates.json": text, "daily-notes.json": text})
    assert DocsSettings(tmp_path, ignore=True).takes(NativeId("7/x.md"))


@pytest.mark.requirement("templates-are-left-out")
def test_a_named_pipe_in_the_place_of_the_settings_keeps_nobody_waiting(tmp_path: Path) -> None:
    vault(tmp_path, {})
    os.mkfifo(tmp_path / ".obsidian" / "templates.json")
    assert DocsSettings(tmp_path, ignore=True).takes(NativeId("x/x.md"))
