import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citemark.model.ids import NativeId
from citemark.sources.file_system import RealPaths, modified_at, real_path


def status(mtime: int) -> os.stat_result:
    return os.stat_result([0, 0, 0, 0, 0, 0, 0, 0, mtime, 0])


@pytest.mark.parametrize("mtime", [300_000_000_000, -100_000_000_000, 2**62])
def test_a_file_from_a_year_that_no_calendar_has_was_changed_at_no_known_time(mtime: int) -> None:
    assert modified_at(status(mtime)) is None
    assert modified_at(status(0)) == datetime(1970, 1, 1, tzinfo=UTC)


def test_paths_that_are_resolved_together_lead_where_each_leads_alone(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    for folder in (outside, root / "a" / "b"):
        folder.mkdir(parents=True)
    for file in (outside / "o.md", root / "r.md", root / "a" / "b" / "x.md", root / "a" / "b" / "y.md"):
        file.write_text(file.name)
    (root / "inner").symlink_to(root / "a")
    (root / "outer").symlink_to(outside)
    (root / "a" / "link.md").symlink_to(root / "r.md")
    (root / "a" / "leak.md").symlink_to(outside / "o.md")
    (root / "gone.md").symlink_to(root / "nothing.md")
    names = ["r.md", "a/b/x.md", "a/b/y.md", "inner/b/x.md", "a/link.md", "a/leak.md", "outer/o.md", "gone.md"]
    names += ["nothing.md", "no/x.md", "r.md/x.md", "../outside/o.md", "a/../r.md", "a//b/x.md", "/r.md", "a/b", ""]
    real_root = os.path.realpath(root)
    paths = RealPaths(real_root)
    found: set[str] = set()
    for name in (NativeId(each) for each in [*names, *reversed(names)]):
        try:
            alone = real_path(real_root, name)
        except OSError as error:
            with pytest.raises(type(error)):
                paths.of(name)
        else:
            real, info = paths.of(name)
            assert (real, info.st_ino) == (alone, os.lstat(alone).st_ino)
            found.add(name)
    assert found == {"r.md", "a/b/x.md", "a/b/y.md", "inner/b/x.md", "a/link.md", "a/b"}
