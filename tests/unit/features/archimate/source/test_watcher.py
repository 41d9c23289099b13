"""What is heard of a model's file, on the real file system."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from citemark.features.archimate.source.watcher import ModelWatcher

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the watches of Linux")

_SOON = 60
_SILENCE = 0.6


def replaced(path: Path) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text("other")
    fresh.replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "written in place": lambda path: path.write_text("other"),
    "replaced": replaced,
    "deleted": lambda path: path.unlink(),
    "renamed": lambda path: path.rename(path.with_name("elsewhere")),
}


async def hears(changes: AsyncGenerator[None, None]) -> None:
    async with asyncio.timeout(_SOON):
        await anext(changes)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_every_change_of_the_file_is_noticed(tmp_path: Path, change: Callable[[Path], object]) -> None:
    path = tmp_path / "model.xml"
    path.write_text("model")
    async with aclosing(ModelWatcher(path).changes()) as changes:
        await hears(changes)
        change(path)
        await hears(changes)


async def test_changes_of_other_files_are_not_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text("model")
    async with aclosing(ModelWatcher(path).changes()) as changes:
        await hears(changes)
        (tmp_path / "model.xml.bak").write_text("other")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(_SILENCE):
                await anext(changes)


async def test_the_target_of_a_symlink_is_watched_and_again_after_it_points_elsewhere(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.xml").write_text(name)
    (tmp_path / "here").mkdir()
    link = tmp_path / "here" / "model.xml"
    link.symlink_to(tmp_path / "one" / "model.xml")
    watcher = ModelWatcher(link)
    async with aclosing(watcher.changes()) as changes:
        await hears(changes)
        assert not watcher.outdated()
        (tmp_path / "one" / "model.xml").write_text("edited")
        await hears(changes)
        link.unlink()
        link.symlink_to(tmp_path / "two" / "model.xml")
        await hears(changes)
        assert watcher.outdated()


def test_the_place_is_the_folder_and_none_without_it(tmp_path: Path) -> None:
    watcher = ModelWatcher(tmp_path / "models" / "model.xml")
    assert watcher.root_identity() is None
    (tmp_path / "models").mkdir()
    assert watcher.root_identity() is not None
