"""When a document that ended and one that began are the same under a new name."""

from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher

from citemark.model.ids import DocumentId, NativeId, RevisionId

NEAR_EQUAL = 0.6
"""Share of lines in common from which on two texts count as one text edited."""


@dataclass(frozen=True, slots=True)
class RenameCandidate:
    """A page that ended beside one that began around then, with both texts: perhaps a rename."""

    old_id: DocumentId
    old_native_id: NativeId
    old_body: str
    new_id: DocumentId
    new_native_id: NativeId
    new_body: str
    new_revision_id: RevisionId
    since: datetime


def likeness(old: str, new: str) -> float:
    """How much of two texts is the same, in 0..1, by lines in order (difflib's ratio)."""
    old_lines = [line.strip() for line in old.splitlines() if line.strip()]
    new_lines = [line.strip() for line in new.splitlines() if line.strip()]
    if not old_lines or not new_lines:
        return 0.0
    matcher = SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    if matcher.real_quick_ratio() < NEAR_EQUAL or matcher.quick_ratio() < NEAR_EQUAL:
        return 0.0
    return matcher.ratio()


def body_below_heading(text: str) -> str:
    """A section's text without its heading line (and a setext underline)."""
    first, _, rest = text.strip().partition("\n")
    if first.lstrip().startswith("#"):
        return rest.strip()
    underline, _, below = rest.partition("\n")
    return below.strip() if underline.strip() and not underline.strip("=- \r") else rest.strip()
