"""A listing against the ledger: a pure function to a list of changes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from citemark.model.documents import Listed, ScanEnd
from citemark.model.ledger import Change, Gone, ItemKey, LedgerEntry, Miss, Outdated, Want


@dataclass(frozen=True, slots=True)
class DeletionPolicy:
    """When an absence counts as a deletion.

    After `grace`, and never from an empty listing that was seen fewer times in a row than `believe_empty_after`; of
    scans that may follow each other within a second, such as events set off, `count_empty` keeps those out of the row.
    """

    grace: timedelta = timedelta(0)
    believe_empty_after: int = 3
    count_empty: bool = True


def key_of(listed: Listed) -> ItemKey:
    """The ledger key of a listed document."""
    return listed.doc_type, listed.native_id


def plan_wanted(listed: Iterable[Listed], known: Mapping[ItemKey, LedgerEntry], text_version: int = 0) -> list[Change]:
    """Documents that are new, changed, back after an absence, or were read by older code than `text_version`."""
    changes: list[Change] = []
    for entry in listed:
        before = known.get(key_of(entry))
        if before is None or before.wanted != entry.version or before.missing_since is not None:
            changes.append(Want(entry))
        elif before.text_version < text_version and not before.waits:
            changes.append(Outdated(key_of(entry)))
    return changes


def plan_missing(
    seen: frozenset[ItemKey] | set[ItemKey],
    known: Mapping[ItemKey, LedgerEntry],
    end: ScanEnd,
    policy: DeletionPolicy,
    *,
    empty_streak: int,
    now: datetime,
) -> list[Change]:
    """What a finished listing says of the documents it lacks: nothing, unless it is complete and believable.

    `empty_streak` counts empty listings in a row, this one included.
    """
    if not end.complete:
        return []
    if not seen and empty_streak < policy.believe_empty_after:
        return []
    changes: list[Change] = []
    for key in sorted(known.keys() - seen):
        before = known[key]
        if before.wanted is None or key[0] in end.unlisted:
            continue
        waited = timedelta(0) if before.missing_since is None else now - before.missing_since
        if waited >= policy.grace:
            changes.append(Gone(key))
        elif before.missing_since is None:
            changes.append(Miss(key))
    return changes
