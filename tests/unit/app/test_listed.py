"""The file by which a starting server knows what its index held."""

from pathlib import Path

import pytest

from citemark.app.listed import ListedFamilies
from citemark.settings import Settings
from citemark.tools.families import Families
from citemark.tools.instructions import NamedSource
from citemark.tools.offer import Holding

SOURCES = (NamedSource("cloud", "nextcloud", ("german", "english")), NamedSource("docs", "docs"))
BOTH = Holding(Families(nextcloud=True, capabilities=("architecture", "transformation")), SOURCES)


@pytest.mark.requirement("tools-no-database-wait")
def test_what_was_kept_is_read_by_the_next_process(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new" / "data")
    assert ListedFamilies(settings).read() is None
    assert ListedFamilies(settings).keep(Holding())
    assert not (tmp_path / "new").exists(), "an index of which nothing is known needs no file"
    first = ListedFamilies(settings).changed_at()
    assert ListedFamilies(settings).keep(BOTH)
    assert ListedFamilies(settings).read() == BOTH
    second = ListedFamilies(settings).changed_at()
    assert second != first
    assert ListedFamilies(settings).keep(BOTH)
    assert ListedFamilies(settings).changed_at() == second
    assert ListedFamilies(settings).keep(Holding(sources=()))
    assert ListedFamilies(settings).read() == Holding(sources=())


@pytest.mark.requirement("i7-4-instructions")
def test_a_file_of_a_version_that_named_no_sources_tells_of_families_alone(tmp_path: Path) -> None:
    listed = ListedFamilies(Settings(data_dir=tmp_path))
    listed.path.write_text('{"nextcloud": true, "capabilities": ["architecture"]}')
    assert listed.read() == Holding(Families(nextcloud=True, capabilities=("architecture",)))


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
