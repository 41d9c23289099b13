"""The file by which a starting server knows what its index held."""

from pathlib import Path

import pytest
from tests.support.groups import groups

from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.settings import Settings
from citemark.tools.index_contents import IndexContents, NamedSource

SOURCES = (NamedSource("cloud", "nextcloud", ("german", "english")), NamedSource("docs", "docs", about="Rules."))
BOTH = IndexContents(groups(nextcloud=True, capabilities=("architecture", "transformation")), SOURCES)


@pytest.mark.requirement("tools-no-database-wait")
def test_stored_tool_groups_are_read_by_the_next_process(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new" / "data")
    assert ToolGroupsFile(settings).read() is None
    assert ToolGroupsFile(settings).keep(IndexContents())
    assert not (tmp_path / "new").exists(), "an index of which nothing is known needs no file"
    first = ToolGroupsFile(settings).changed_at()
    assert ToolGroupsFile(settings).keep(BOTH)
    assert ToolGroupsFile(settings).read() == BOTH
    second = ToolGroupsFile(settings).changed_at()
    assert second != first
    assert ToolGroupsFile(settings).keep(BOTH)
    assert ToolGroupsFile(settings).changed_at() == second
    assert ToolGroupsFile(settings).keep(IndexContents(sources=()))
    assert ToolGroupsFile(settings).read() == IndexContents(sources=())


@pytest.mark.requirement("instructions-name-sources-and-languages")
def test_a_file_in_which_no_sources_are_listed_yet_states_only_groups(tmp_path: Path) -> None:
    listed = ToolGroupsFile(Settings(data_dir=tmp_path))
    listed.path.write_text('{"groups": ["architecture", "nextcloud"], "capabilities": ["architecture"]}')
    assert listed.read() == IndexContents(groups(nextcloud=True, capabilities=("architecture",)))


def test_a_broken_file_is_ignored_and_rewritten(tmp_path: Path) -> None:
    listed = ToolGroupsFile(Settings(data_dir=tmp_path))
    for broken in ("", "[]", "{", '{"groups": 1, "capabilities": []}', '{"groups": []}', "\x00"):
        listed.path.write_text(broken)
        assert listed.read() is None
    assert listed.keep(BOTH)
    assert listed.read() == BOTH


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert not ToolGroupsFile(Settings(data_dir=tmp_path / "file" / "data")).keep(BOTH)


def test_databases_of_their_own_have_files_of_their_own_and_passwords_are_in_no_name(tmp_path: Path) -> None:
    def path(url: str) -> Path:
        return ToolGroupsFile(Settings(data_dir=tmp_path, database_url=url)).path  # pyright: ignore[reportArgumentType]

    urls = ["postgresql://me:one@db/index", "postgresql://me:two@db/index", "postgresql://me:one@db/other"]
    first, second, other = map(path, urls)
    assert first == second
    assert len({first, other, ToolGroupsFile(Settings(data_dir=tmp_path)).path}) == 3
    assert path("host=db dbname=x password='a b'") == path("host=db dbname=x password=c")
