"""Renamed files: a page that ended and one that began with equal or nearly equal text."""

from datetime import datetime

from citemark.model.ids import SourceId
from citemark.model.succession import NEAR_EQUAL, likeness
from citemark.store.pages import PageStore


async def follow_renames(pages: PageStore, source_id: SourceId, since: datetime) -> int:
    """State `succeeds` for pages that took over from one that ended since then; how many.

    Equal text wins over similar text, and each page is used once.
    """
    rows = await pages.unsucceeded(source_id, since)
    used: set[int] = set()
    found = 0
    ranked = [(1.0 if row["equal"] else likeness(row["old_body"], row["new_body"]), row) for row in rows]
    for same, row in sorted(ranked, key=lambda pair: (-pair[0], pair[1]["old_native_id"], pair[1]["new_native_id"])):
        if same < NEAR_EQUAL or row["old_id"] in used or row["new_id"] in used:
            continue
        used |= {row["old_id"], row["new_id"]}
        await pages.succeed(source_id, row)
        found += 1
    return found
