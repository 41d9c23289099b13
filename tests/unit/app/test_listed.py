"""The file by which a starting server knows what its index held."""

from pathlib import Path

import pytest

from citemark.app.listed import ListedFamilies
from citemark.settings import Settings
from citemark.tools.families import Families

BOTH = Families(nextcloud=True, capabilities=("architecture", "transformation"))


@pytest.mark.requirement("tools-no-database-wait")
def test_what_was_kept_is_read_by_the_next_process(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new" / "data")
    assert ListedFamilies(settings).read() is None
    assert ListedFamilies(settings).keep(Families())
    assert not (tmp_path / "new").exists(), "an index of documents alone needs no file"
    first = ListedFamilies(settings).changed_at()
    assert ListedFamilies(settings).keep(BOTH)
    assert ListedFamilies(settings).read() == BOTH
    second = ListedFamilies(settings).changed_at()
    assert second != first
    assert ListedFamilies(settings).keep(BOTH)
    assert ListedFamilies(settings).changed_at() == second
    assert ListedFamilies(settings).keep(Families())
    assert ListedFamilies(settings).read() == Families()


def test_a_broken_file_says_nothing_and_is_written_anew(tmp_path: Path) -> None:
    listed = ListedFamilies(Settings(data_dir=tmp_path))
    for broken in ("", "[]", "{", '{"nextcloud": 1, "capabilities": []}', '{"nextcloud": true}', "\x00"):
        listed.path.write_text(broken)
        assert listed.read() is None
    assert listed.keep(BOTH)
    assert listed.read() == BOTH


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not ListedFamilies(Settings(data_dir=tmp_path / "file" / "data")).keep(BOTH)


def test_databases_of_their_own_have_files_of_their_own_and_passwords_are_in_no_name(tmp_path: Path) -> None:
    def path(url: str) -> Path:
        return ListedFamilies(Settings(data_dir=tmp_path, database_url=url)).path  # pyright: ignore[reportArgumentType]

    urls = ["postgresql://me:one@db/index", "postgresql://me:two@db/index", "postgresql://me:one@db/other"]
    first, second, other = map(path, urls)
    assert first == second
    assert len({first, other, ListedFamilies(Settings(data_dir=tmp_path)).path}) == 3
    assert path("host=db dbname=x password='a b'") == path("host=db dbname=x password=c")
