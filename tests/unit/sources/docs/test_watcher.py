"""What is heard of a folder, on the real file system."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from citemark.model.errors import UnwatchableSource
from citemark.sources.docs.scanner import DocsScanner
from citemark.sources.docs.settings import DocsSettings
from citemark.sources.docs.watcher import DocsWatcher
from citemark.sources.file_system import silent_type

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the watches of Linux")

CHANGES: dict[str, Callable[[Path], object]] = {
    "edit": lambda root: (root / "guide" / "a.md").write_text("second"),
    "new file": lambda root: (root / "guide" / "b.md").write_text("new"),
    "deletion": lambda root: (root / "guide" / "a.md").unlink(),
    "rename": lambda root: (root / "guide" / "a.md").rename(root / "b.md"),
    "new folder": lambda root: (root / "new").mkdir(),
    "renamed folder": lambda root: (root / "guide").rename(root / "manual"),
}

_SOON = 60
_SILENCE = 0.6


class WatcherProbe:
    """A watcher of a folder that has just been scanned, listening."""

    def __init__(self, root: Path, *, ignore: bool = False) -> None:
        self.root = root
        settings = DocsSettings(root, ignore=ignore)
        self.scanner = DocsScanner(settings)
        self.watcher = DocsWatcher(settings, self.scanner)
        self.changes: AsyncGenerator[None, None] = self.watcher.changes()

    async def scan(self) -> None:
        async for _ in self.scanner.scan():
            pass

    async def hears(self) -> None:
        async with asyncio.timeout(_SOON):
            await anext(self.changes)

    async def hears_nothing(self) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(_SILENCE):
                await anext(self.changes)


@pytest.fixture
async def probe(tmp_path: Path) -> AsyncGenerator[WatcherProbe, None]:
    root = tmp_path / "docs"
    for folder in ("guide", "node_modules/lib", ".git"):
        (root / folder).mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (root / "away").symlink_to(tmp_path / "elsewhere")
    (root / "guide" / "a.md").write_text("first")
    made = WatcherProbe(root)
    await made.scan()
    async with aclosing(made.changes):
        await made.hears()
        yield made


@pytest.mark.requirement("changes-followed-while-serving")
@pytest.mark.parametrize("change", CHANGES)
async def test_a_change_is_noticed(probe: WatcherProbe, change: str) -> None:
    CHANGES[change](probe.root)
    await probe.hears()


@pytest.mark.parametrize("path", ["node_modules/lib/a.md", ".git/index", "away/a.md", "guide/build.log"])
async def test_changes_of_ignored_files_trigger_no_scan(probe: WatcherProbe, path: str) -> None:
    if path.endswith(".log"):
        (probe.root / path).write_text("first")
        await probe.hears()
    (probe.root / path).write_text("more")
    await probe.hears_nothing()


@pytest.fixture
async def ignoring(tmp_path: Path) -> AsyncGenerator[WatcherProbe, None]:
    """A probe of a work tree whose ignored folders have many changes."""
    root = tmp_path / "code"
    for folder in (".git", "private", "build", "guide", "env"):
        (root / folder).mkdir(parents=True)
    (root / "env" / "pyvenv.cfg").write_text("")
    (root / ".gitignore").write_text("private/\n*.tmp.md\n")
    for path in ("guide/a.md", "guide/b.tmp.md"):
        (root / path).write_text("first")
    made = WatcherProbe(root, ignore=True)
    await made.scan()
    async with aclosing(made.changes):
        await made.hears()
        yield made


@pytest.mark.requirement("ignored-not-watched")
@pytest.mark.parametrize("path", ["private/a.md", "build/a.md", "env/a.md", "guide/b.tmp.md"])
async def test_changes_of_what_is_left_out_trigger_no_scan(ignoring: WatcherProbe, path: str) -> None:
    (ignoring.root / path).write_text("more")
    await ignoring.hears_nothing()


@pytest.mark.requirement("ignored-not-watched")
async def test_a_changed_gitignore_is_followed(ignoring: WatcherProbe) -> None:
    assert not ignoring.watcher.outdated()
    (ignoring.root / ".gitignore").write_text("guide/\n")
    await ignoring.hears()
    await ignoring.scan()
    assert ignoring.watcher.outdated(), "the folder that is no longer ignored has to be watched"
    assert {Path(path).name for path in ignoring.scanner.folders} == {"code", "private"}


async def test_a_folder_that_was_added_or_replaced_has_to_be_watched_again(probe: WatcherProbe) -> None:
    assert not probe.watcher.outdated()
    (probe.root / "new").mkdir()
    await probe.hears()
    await probe.scan()
    assert probe.watcher.outdated()
    await probe.changes.aclose()
    probe.changes = probe.watcher.changes()
    await probe.hears()
    assert not probe.watcher.outdated()
    (probe.root / "new" / "a.md").write_text("heard")
    await probe.hears()
    # Away and back again: the folder is the same, its watch is gone.
    (probe.root / "new").rename(probe.root / "old")
    (probe.root / "old").rename(probe.root / "new")
    await probe.hears()
    await probe.scan()
    assert probe.watcher.outdated()


@pytest.mark.requirement("index-recovers-from-lost-events")
async def test_a_name_that_is_not_utf8_ends_the_watch_so_that_it_is_started_again(probe: WatcherProbe) -> None:
    (probe.root / os.fsdecode(b"\xff.md")).write_text("unheard of")
    with pytest.raises(StopAsyncIteration):
        await probe.hears()


def test_another_folder_at_the_same_path_is_recognized(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    watcher = DocsWatcher(DocsSettings(root), DocsScanner(DocsSettings(root)))
    assert watcher.root_identity() is None
    root.mkdir()
    before = watcher.root_identity()
    assert before is not None
    root.rename(tmp_path / "old")
    root.mkdir()
    assert watcher.root_identity() not in {None, before}


_MOUNTS = """\
22 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw
28 1 253:0 / / rw,relatime shared:1 - ext4 /dev/root rw
90 28 0:50 / /mnt/team\\040share rw shared:2 - cifs //server/share rw
91 28 0:51 / /mnt/home rw - nfs4 server:/home rw
92 91 253:1 / /mnt/home/local rw - ext4 /dev/sdb rw
93 28 0:52 / /mnt/both rw - nfs4 server:/x rw
94 93 0:53 / /mnt/both rw - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/srv/docs", None),
        ("/mnt/team share/docs", "cifs"),
        ("/mnt/home/me", "nfs4"),
        ("/mnt/homestead", None),
        ("/mnt/home/local/docs", None),
        ("/mnt/both/docs", None),
    ],
)
def test_the_mount_below_a_folder_says_whether_changes_are_told(tmp_path: Path, path: str, found: str | None) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(_MOUNTS)
    assert silent_type(path, table) == found


async def test_a_share_of_another_machine_is_not_trusted_to_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remote(path: str) -> str:
        return "nfs4"

    monkeypatch.setattr("citemark.sources.folder_watch.silent_type", remote)
    probe = WatcherProbe(tmp_path)
    with pytest.raises(UnwatchableSource, match="nfs4"):
        await probe.hears()
