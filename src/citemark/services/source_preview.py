"""What a source would hold with other settings: its listing, compared with what is indexed, without changing either."""

from collections.abc import Mapping
from dataclasses import dataclass

from citemark.indexing.source_scan import checked, key_of, stays, without_kept
from citemark.model.documents import Listed, ScanEnd, TooLarge
from citemark.model.errors import SourceError
from citemark.model.ids import NativeId, Version
from citemark.model.ledger import ItemKey, LedgerEntry
from citemark.model.left_out import LeftOut
from citemark.sources.contract import Scanner

_SHARE = 0.1
"""The share of a source that a change may drop without asking: a typing mistake in a pattern drops far more."""

_EXAMPLES = 10
"""Documents that are named of those that would go."""


@dataclass(frozen=True, slots=True)
class SourcePreview:
    """What a sync would find.

    Attributes:
        listed: documents in the listing.
        new: those that are not in the index.
        changed: those that are indexed in an earlier version.
        indexed: documents in the index now.
        gone: those of them that the listing lacks, so that they would leave the index; some of them are `examples`.
        left_out: the files that would not be indexed, by reason; None if they are not counted.
        reason: why the listing is incomplete, in which case `gone` may be too high; "" if it is complete.
    """

    listed: int
    new: int
    changed: int
    indexed: int
    gone: int
    examples: tuple[NativeId, ...] = ()
    left_out: LeftOut | None = None
    reason: str = ""

    @property
    def drops_much(self) -> bool:
        """Whether more than a tenth of the source would leave the index, or that cannot be told."""
        return self.gone > _SHARE * self.indexed or bool(self.reason and self.indexed)


async def preview_of(scanner: Scanner, known: Mapping[ItemKey, LedgerEntry]) -> SourcePreview:
    """List a source without recording anything.

    Args:
        scanner: lists the source with the settings in question.
        known: what the ledger has on it.
    """
    seen: dict[ItemKey, Version] = {}
    kept: set[NativeId] = set()
    end = ScanEnd(complete=False, reason="the listing broke off")
    try:
        async for entry in scanner.scan():
            match checked(entry):
                case Listed() as listed:
                    seen[key_of(listed)] = listed.version
                case TooLarge() as large if stays(large, known):
                    seen[key_of(large.document)] = large.document.version
                    kept.add(large.native_id)
                case ScanEnd() as found:
                    end = found
                case _:
                    continue
    except SourceError as error:
        end = ScanEnd(complete=False, reason=error.message)
    end = without_kept(end, kept)
    indexed = {key: entry.indexed for key, entry in known.items() if entry.indexed is not None}
    gone = sorted(key for key in indexed.keys() - seen.keys() if key[0] not in end.unlisted)
    return SourcePreview(
        listed=len(seen),
        new=len(seen.keys() - indexed.keys()),
        changed=sum(seen[key] != version for key, version in indexed.items() if key in seen),
        indexed=len(indexed),
        gone=len(gone),
        examples=tuple(native_id for _, native_id in gone[:_EXAMPLES]),
        left_out=end.left_out,
        reason="" if end.whole else end.reason,
    )
