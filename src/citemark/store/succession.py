"""Which sections of a new revision are old ones under a new heading."""

from collections.abc import Collection, Sequence

from citemark.model.pages import Page
from citemark.model.succession import NEAR_EQUAL, body_below_heading, likeness
from citemark.store.database import Row


def section_pairs(vanished: Sequence[Row], page: Page, fresh: Collection[str]) -> list[tuple[str, str]]:
    """(old native id, new slug) pairs whose text below the heading is equal or nearly so, each used once.

    `vanished` rows carry native_id and text of sections the new revision lacks; `fresh` names its new sections.
    """
    pairs: list[tuple[str, str]] = []
    free = [entry.section for entry in page.sections if entry.section.slug in fresh]
    for row in vanished:
        old = body_below_heading(row["text"])
        best, best_likeness = None, NEAR_EQUAL
        for section in free:
            new = body_below_heading(section.span.of(page.body))
            same = 1.0 if old and old == new else likeness(old, new)
            if same > best_likeness or (best is None and same == best_likeness):
                best, best_likeness = section, same
        if best is not None:
            free.remove(best)
            pairs.append((row["native_id"], best.slug))
    return pairs
