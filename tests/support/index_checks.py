"""What must be true of an index whatever happened to it: every document once, none given up, none waiting."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

from citemark.store.database import Database

_MARK = re.compile(r"mark-\d+-end")


async def check_whole(database: Database, source_id: int, number: int) -> None:
    """The source, which keeps no past, has so many documents: each once, none given up, none waiting."""
    counts: dict[str, Any] = (
        await database.read_sql(
            "SELECT (SELECT count(*) FROM document WHERE source_id = %(id)s AND page_id IS NULL"
            "  AND valid_to = 'infinity') AS documents,"
            " (SELECT count(*) FROM revision r JOIN document d USING (source_id, document_id)"
            "  WHERE r.source_id = %(id)s AND d.page_id IS NULL AND r.valid_to = 'infinity') AS revisions,"
            " (SELECT count(*) FROM item WHERE source_id = %(id)s AND wanted_version IS NOT NULL) AS items,"
            " (SELECT count(*) FROM item WHERE source_id = %(id)s"
            "  AND (parked OR leased_by IS NOT NULL OR wanted_version IS DISTINCT FROM indexed_version)) AS undone,"
            " (SELECT count(*) FROM vector_task WHERE source_id = %(id)s) AS vectors_waiting,"
            " (SELECT count(*) FROM chunk WHERE source_id = %(id)s AND valid_to <> 'infinity') AS past",
            {"id": source_id},
        )
    )[0]
    whole = {"documents": number, "revisions": number, "items": number, "undone": 0, "vectors_waiting": 0, "past": 0}
    assert dict(counts) == whole, await _undone(database, source_id)


async def check_folder(database: Database, source_id: int, root: Path) -> None:
    """The index holds exactly the files below `root`, each with the marks (`mark-7-end`) of its present text."""
    there = _marks_below(root)
    rows = await database.read_sql(
        "SELECT d.native_id, r.title || ' ' || r.body AS text"
        " FROM document d JOIN revision r USING (source_id, document_id)"
        " WHERE d.source_id = %(id)s AND d.page_id IS NULL AND d.valid_to = 'infinity' AND r.valid_to = 'infinity'",
        {"id": source_id},
    )
    doubled = [name for name, times in Counter(row["native_id"] for row in rows).items() if times > 1]
    indexed = {row["native_id"]: sorted(set(_MARK.findall(row["text"]))) for row in rows}
    differing = {name for name in there.keys() & indexed.keys() if there[name] != indexed[name]}
    assert not doubled
    lost, stale = sorted(there.keys() - indexed.keys()), sorted(indexed.keys() - there.keys())
    assert (lost, stale, differing) == ([], [], set()), await _undone(database, source_id)


def _marks_below(root: Path) -> dict[str, list[str]]:
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): sorted(_MARK.findall(path.read_text("utf-8"))) for path in files}


async def _undone(database: Database, source_id: int) -> list[dict[str, Any]]:
    """What a failure shows: the items that wait or were given up."""
    return await database.read_sql(
        "SELECT native_id, wanted_version, indexed_version, parked, tries, error, leased_by FROM item"
        " WHERE source_id = %(id)s AND (parked OR leased_by IS NOT NULL"
        " OR wanted_version IS DISTINCT FROM indexed_version) LIMIT 20",
        {"id": source_id},
    )
