"""Wikilinks are resolved as Obsidian resolves them."""

from pathlib import Path

import pytest

from citemark.sources.docs.notes import NotesByName
from citemark.sources.docs.settings import DocsSettings

pytestmark = pytest.mark.requirement("wikilinks-are-edges")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path in ("Note.md", "a/Note.md", "a/b/Deep.md", "long/way/Deep.md", "Über uns.md", "B.canvas", "v1.2 plan.md"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("Text.\n")
    (tmp_path / "Alias.md").write_text("---\naliases: [Other Name, Note]\n---\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "page", "target"),
    [
        ("Note", "x.md", "Note.md"),
        ("note", "a/x.md", "Note.md"),
        ("a/Note", "x.md", "a/Note.md"),
        ("Deep", "x.md", "a/b/Deep.md"),
        ("Deep", "long/x.md", "long/way/Deep.md"),
        ("b/Deep", "x.md", "a/b/Deep.md"),
        ("Deep.md", "x.md", "a/b/Deep.md"),
        ("über uns", "x.md", "Über uns.md"),
        ("B.canvas", "x.md", "B.canvas"),
        ("v1.2 plan", "x.md", "v1.2 plan.md"),
        ("other name", "x.md", "Alias.md"),
        ("eep", "x.md", None),
        ("Missing", "x.md", None),
    ],
)
def test_a_name_means_a_path_the_end_of_one_or_an_alias(folder: Path, name: str, page: str, target: str | None) -> None:
    assert NotesByName(DocsSettings(folder)).find(name, page) == target


def test_a_note_that_appears_is_found_and_one_that_goes_is_not(folder: Path) -> None:
    notes = NotesByName(DocsSettings(folder))
    assert notes.find("New", "x.md") is None
    (folder / "a" / "New.md").write_text("---\naliases: Newer\n---\n")
    assert notes.find("New", "x.md") == "a/New.md"
    assert notes.find("newer", "x.md") == "a/New.md"
    (folder / "a" / "New.md").unlink()
    assert notes.find("New", "x.md") is None


def test_an_id_means_the_org_file_or_the_heading_that_has_it(folder: Path) -> None:
    body = (
        ":PROPERTIES:\n:ID: file-id\n:END:\n#+title: X\n\n* TODO Two words :tag:\n:PROPERTIES:\n:ID: HEAD-id\n:END:\n"
    )
    (folder / "a" / "x.org").write_text(body)
    notes = NotesByName(DocsSettings(folder))
    assert notes.find_id("file-id") == "a/x.org"
    assert notes.find_id("head-ID") == "a/x.org#two-words"
    assert notes.find_id("other") is None
