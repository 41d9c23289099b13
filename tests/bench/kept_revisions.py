"""What a superseded revision takes on disk: notes that are edited again and again, one section at a time."""

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
from tests.bench.embedders import RandomVectors
from tests.bench.index import open_folder
from tests.bench.indexing import emptied
from tests.bench.locations import cache
from tests.bench.texts import ScalePage, ScaleSection, pages

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.model.sources import NewSource
from citemark.settings import load_settings

REVISIONS = 20
_AT_ONCE = 15
"""Notes in a sync: a text worker takes so many in one round, so its words are folded at the same points in each run."""

_NOTES = 2 * _AT_ONCE
_SECTIONS = 6
_CHARS = 620
"""Characters of a section's text: with its heading, and those of five others, a note has 4.0 kB."""

_SIZES = """
SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'"""

_NO_OTHER_VACUUM = """
DO $$ DECLARE name regclass; BEGIN
    FOR name IN SELECT c.oid FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
                  AND NOT coalesce('autovacuum_enabled=off' = ANY(c.reloptions), false) LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off, toast.autovacuum_enabled = off)', name);
    END LOOP;
END $$"""


async def measure() -> dict[str, object]:
    """What tables and indexes weigh more with history than without, for each superseded revision.

    The same edits are read from files by syncs into both indexes, so that what edits leave behind at HEAD is in both.
    PostgreSQL vacuums when it pleases; here every table is vacuumed after each revision instead. `since_first` is what
    the index with history grew by since its first revision, for each superseded one, and `written_anew` the difference
    of the two indexes once all of their tables were written anew.
    """
    notes = _Notes()
    keeping, forgetting = await _weighed(notes, keep=True), await _weighed(notes, keep=False)
    tables = {
        name: round((size - forgetting.grown.get(name, 0)) / notes.superseded) for name, size in keeping.grown.items()
    }
    return {
        "notes": _NOTES,
        "revisions": REVISIONS,
        "note_bytes": notes.bytes,
        "bytes_per_superseded_revision": notes.each(keeping.grown, forgetting.grown),
        "tables": {name: size for name, size in sorted(tables.items(), key=lambda entry: -entry[1]) if size},
        "since_first": notes.each(keeping.grown, keeping.first),
        "written_anew": notes.each(keeping.anew, forgetting.anew),
    }


class _Notes:
    """What each note says in each revision: the first section is written anew, then the second, and so on in turns."""

    superseded = _NOTES * (REVISIONS - 1)

    def __init__(self) -> None:
        self.folder = cache() / "kept-revisions"
        self.bytes = 0
        self._texts = [
            ScaleSection(section.heading, (section.text * 4)[:_CHARS])
            for page in pages(_NOTES * (_SECTIONS + REVISIONS))
            for section in page.sections
        ]

    def write(self, first: int, revision: int) -> None:
        """Write some notes as a revision has them, from the first one on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number in range(first, first + _AT_ONCE):
            text = self._note(number, revision).body
            (self.folder / f"note-{number:03}.md").write_text(text, encoding="utf-8")
            self.bytes = len(text.encode())

    def each(self, larger: Mapping[str, int], smaller: Mapping[str, int]) -> int:
        """Bytes of a difference for each superseded revision."""
        return round((sum(larger.values()) - sum(smaller.values())) / self.superseded)

    def _note(self, number: int, revision: int) -> ScalePage:
        mine = self._texts[number * (_SECTIONS + REVISIONS) :]
        sections = [
            ScaleSection(mine[each].heading, mine[self._place(each, revision)].text) for each in range(_SECTIONS)
        ]
        return ScalePage(f"note-{number:03}.md", f"Note {number}", tuple(sections))

    @staticmethod
    def _place(section: int, revision: int) -> int:
        """Where the text of a section is: that of the last revision that wrote it anew, if one did."""
        last = revision - (revision - 1 - section) % _SECTIONS
        return _SECTIONS + last if last > 0 else section


@dataclass(frozen=True, slots=True)
class _Weighed:
    """Bytes of each table: after the first revision, after the last, and once all tables were written anew."""

    first: Mapping[str, int]
    grown: Mapping[str, int]
    anew: Mapping[str, int]


async def _weighed(notes: _Notes, *, keep: bool) -> _Weighed:
    """Make an index of the notes in all of their revisions."""
    folder = emptied("index-kept-revisions")
    for path in notes.folder.glob("*.md"):
        path.unlink()
    sizes: list[Mapping[str, int]] = []
    async with open_folder(folder) as index, open_app(load_settings(data_dir=folder)) as opened:
        app = App(opened.settings, opened.stores, RandomVectors())
        with psycopg.connect(index.dsn, autocommit=True) as connection:
            try:
                new = NewSource("notes", "docs", {"root": str(notes.folder)}, keep_history=keep)
                source = await app.stores.sources.add(new)
                for revision in range(REVISIONS):
                    for first in range(0, _NOTES, _AT_ONCE):
                        notes.write(first, revision)
                        await app.sync({source.source_id: source})
                        connection.execute(_NO_OTHER_VACUUM)
                    connection.execute("VACUUM (ANALYZE)")
                    sizes.append(_sizes(connection))
                connection.execute("VACUUM FULL")
                sizes.append(_sizes(connection))
            finally:
                app.close()
    return _Weighed(sizes[0], sizes[-2], sizes[-1])


def _sizes(connection: psycopg.Connection) -> Mapping[str, int]:
    return {name: int(size) for name, size in connection.execute(_SIZES).fetchall()}
