"""Newer versions of the pages that hits are from, further down in a ranked list."""

from collections.abc import Sequence

from citemark.model.sources import AllowedSources
from citemark.model.versions import Standing, VersionOrder, is_versioned, unversioned
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.question import RankedCandidate, VerifiedHit

_MOST = 20
"""The most candidates that are read: five versions with four passages each."""


async def newer_versions(
    search: SearchIndex,
    allowed: AllowedSources,
    hits: Sequence[VerifiedHit],
    rest: Sequence[RankedCandidate],
    order: VersionOrder,
) -> list[RankedCandidate]:
    """The candidates in `rest` of newer versions of the pages of `hits`, newest first.

    Nothing is looked up unless a hit is of a page whose path names its version. A candidate that represents equal
    passages is returned whatever its own version, because theirs are not known yet.
    """
    oldest: dict[tuple[int, str], Standing] = {}
    for chunk in (hit.chunk for hit in hits if is_versioned(hit.chunk.native_id)):
        page, standing = (int(chunk.source_id), unversioned(chunk.native_id)), order.standing(chunk.native_id, "")
        oldest[page] = min(standing, oldest.get(page, standing))
    if not oldest or not rest:
        return []
    names = await search.names(allowed, list({each.page_id for each in rest}))
    found: list[tuple[Standing, RankedCandidate]] = []
    for each in rest:
        path = names[each.page_id].path if each.page_id in names else ""
        shown, standing = oldest.get((each.source_id, unversioned(path))), order.standing(path, "")
        if shown is not None and (standing > shown or each.same_text):
            found.append((standing, each))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [each for _, each in found[:_MOST]]
