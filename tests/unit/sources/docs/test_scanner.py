"""Folders that nest without end, and links that lead from folder to folder, do not keep the rest from being listed."""

import os
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract.source_contract import Listing, listing
from tests.support.developer_folder import KEY, OTHERS, THEIRS, write

from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.ids import NativeId
from citemark.sources.docs.connector import docs_connector

DEEPEST = 128


async def found(root: Path, **config: object) -> Listing:
    return await listing(docs_connector({"root": str(root), **config}, ParserPool()))


def nest(root: Path, levels: int) -> None:
    """Create a page below `levels` folders."""
    folder = root
    for _ in range(levels):
        folder /= "d"
        folder.mkdir(exist_ok=True)
    (folder / "page.md").write_text("deep")


def page(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "page.md").write_text("text")


@pytest.mark.parametrize("levels", [DEEPEST + 1, 350])
async def test_a_folder_nested_too_deeply_is_reported_and_everything_else_listed(tmp_path: Path, levels: int) -> None:
    nest(tmp_path, levels)
    nest(tmp_path, 3)
    (tmp_path / "last.md").write_text("x")
    scanned = await found(tmp_path)
    assert list(scanned.listed) == ["d/d/d/page.md", "last.md"]
    assert [problem.native_id for problem in scanned.problems] == ["/".join("d" * (DEEPEST + 1))]
    assert "move it up, or exclude it" in scanned.problems[0].message


@pytest.mark.requirement("large-documents-are-read-last")
async def test_files_are_listed_with_their_size(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("é" * 10)
    assert (await found(tmp_path)).listed[NativeId("page.md")].size == 20


async def test_a_folder_at_the_deepest_level_is_listed(tmp_path: Path) -> None:
    nest(tmp_path, DEEPEST)
    scanned = await found(tmp_path)
    assert len(scanned.listed) == 1
    assert scanned.end.complete


async def test_nothing_is_deleted_because_a_folder_was_too_deep_until_it_is_excluded(tmp_path: Path) -> None:
    nest(tmp_path, DEEPEST + 1)
    scanned = await found(tmp_path)
    assert not scanned.end.complete
    assert "1 folder(s) were not read, the first is 'd/d/" in scanned.end.reason
    assert (await found(tmp_path, exclude=["/d/d/"])).end.complete


async def test_links_from_folder_to_folder_do_not_multiply_what_they_lead_to(tmp_path: Path) -> None:
    for number in range(14):
        (tmp_path / f"f{number:02}").mkdir()
    for number in range(13):
        for name in ("a", "b"):
            (tmp_path / f"f{number:02}" / name).symlink_to(f"../f{number + 1:02}")
    (tmp_path / "f13" / "page.md").write_text("text")
    scanned = await found(tmp_path)
    assert list(scanned.listed) == ["/".join(["f00", *"a" * 13, "page.md"]), "f13/page.md"]
    assert len(scanned.problems) <= 2 * 26
    assert scanned.end.complete


async def test_folders_that_all_link_to_each_other_are_listed_by_their_own_paths_and_once_through_links(
    tmp_path: Path,
) -> None:
    names = "abcdef"
    for name in names:
        page(tmp_path / name)
    for name, other in permutations(names, 2):
        (tmp_path / name / f"to-{other}").symlink_to(f"../{other}")
    scanned = await found(tmp_path)
    assert {f"{name}/page.md" for name in names} <= scanned.listed.keys()
    assert len(scanned.listed) <= 2 * len(names)
    assert len(scanned.problems) <= 2 * len(names) * len(names)


async def test_a_second_link_to_a_folder_is_reported_with_the_path_that_lists_it(tmp_path: Path) -> None:
    page(tmp_path / "real" / "below")
    (tmp_path / "one").symlink_to("real/below")
    (tmp_path / "two").symlink_to("real")
    scanned = await found(tmp_path)
    assert list(scanned.listed) == ["one/page.md", "real/below/page.md"]
    assert [(problem.native_id, "as 'one'" in problem.message) for problem in scanned.problems] == [("two/below", True)]
    assert scanned.end.complete


_FOLDERS = sorted(
    {part for path in (*THEIRS, *OTHERS) for part in path.split("/")[:-1]} | {"a b", "page_files", "Straße"}
)
_NAMES = sorted({path.rpartition("/")[2] for path in (*THEIRS, *OTHERS)} | {"page.html", "x.png", "none", "~$a.docx"})
_TEXTS = ("words", KEY, "", "*.md\n/build/\n", "words " * 250_000)


def path_of(folders: list[str], name: str) -> str:
    return "/".join([*folders, name])


paths = st.builds(
    path_of,
    st.lists(st.sampled_from(_FOLDERS), max_size=4),
    st.sampled_from(_NAMES),
)
patterns = st.lists(
    st.sampled_from(["*.py", "*.png", "build/", "docs/", "**", ".github/", "*.md", "/venv/"]), max_size=2
)


@pytest.mark.requirement("left-out-counted")
@given(
    tree=st.dictionaries(paths, st.sampled_from(_TEXTS), max_size=25),
    config=st.fixed_dictionaries(
        {}, optional={"include": patterns, "exclude": patterns, "also": patterns, "ignore": st.booleans()}
    ),
)
async def test_of_any_tree_each_file_is_listed_or_counted_once(tree: Mapping[str, str], config: dict[str, Any]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in tree.items():
            write_where_possible(root, path, text)
        scanned = await listing(docs_connector({"root": folder, **config}, ParserPool(), max_file_bytes=1_000_000))
        on_disk = sum(len(names) for _, _, names in os.walk(root))
    assert scanned.end.left_out is not None
    assert not scanned.end.left_out.more
    assert len(scanned.listed) + scanned.end.left_out.files == on_disk


def write_where_possible(root: Path, path: str, text: str) -> None:
    """Write a file, unless a file is in the place of one of its folders, or a folder in its own place."""
    target = root / path
    above = [folder for folder in target.parents if folder.is_relative_to(root)]
    if not target.is_dir() and not any(folder.is_file() for folder in above):
        write(root, path, text)


async def test_a_folder_nested_too_deeply_is_counted_with_its_files(tmp_path: Path) -> None:
    nest(tmp_path, DEEPEST + 3)
    left_out = (await found(tmp_path)).end.left_out
    assert left_out is not None
    assert left_out.text == "1 that cannot be listed"


@pytest.mark.requirement("scans-are-asked-for")
async def test_pictures_are_documents_only_where_their_text_is_asked_for(tmp_path: Path) -> None:
    for name in ("scan.PNG", "fax.tiff", "plan.pdf", "notes.md", "drawing.svg"):
        (tmp_path / name).write_text("x")
    assert set((await found(tmp_path)).listed) == {"plan.pdf", "notes.md"}
    asked = (await found(tmp_path, ocr=True)).listed
    assert {str(name): each.readers for name, each in asked.items()} == {
        "scan.PNG": ("ocr", "tesseract"),
        "fax.tiff": ("ocr", "tesseract"),
        "plan.pdf": ("pdf", "ocr", "tesseract"),
        "notes.md": ("markdown",),
    }
    assert set((await found(tmp_path, ocr=True, include=["*.md"])).listed) == {"notes.md"}
