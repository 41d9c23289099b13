"""Renamed files: a page that ended and one that began with equal or nearly equal text."""

from datetime import datetime

from citemark.model.ids import SourceId
from citemark.model.succession import NEAR_EQUAL, Succession, likeness
from citemark.store.pages import PageStore


async def follow_renames(pages: PageStore, source_id: SourceId, since: datetime) -> int:
    """State `succeeds` for pages that took over from one that ended since then; how many.

    Equal text wins over similar text, and each page is used once.
    """
    found = 0
    # The store offers the best pairs first and not all at once: a whole folder may have moved.
    while step := await _follow(pages, source_id, since):
        found += step
    return found


async def _follow(pages: PageStore, source_id: SourceId, since: datetime) -> int:
    used: set[int] = set()
    found = 0
    pairs = await pages.unsucceeded(source_id, since)
    ranked = [(_sameness(pair), pair) for pair in pairs]
    for same, pair in sorted(ranked, key=lambda entry: (-entry[0], entry[1].old_native_id, entry[1].new_native_id)):
        if same < NEAR_EQUAL or pair.old_id in used or pair.new_id in used:
            continue
        used |= {pair.old_id, pair.new_id}
        await pages.succeed(source_id, pair)
        found += 1
    return found


def _sameness(pair: Succession) -> float:
    return 1.0 if pair.old_body == pair.new_body else likeness(pair.old_body, pair.new_body)
