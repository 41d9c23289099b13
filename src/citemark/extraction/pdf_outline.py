"""The outline (bookmarks) of a PDF: under which headings each page stands."""

from collections.abc import Iterable

from citemark.extraction.pdf_file import OutlineEntry

_LONGEST_TITLE = 200


def outline_paths(entries: Iterable[OutlineEntry], pages: int) -> dict[int, tuple[str, ...]]:
    """The headings above each zero-based page, outermost first; pages before the first entry have none.

    A page's own heading is the first one that begins on it, else the last that began before it.
    """
    begins = _begins(entries, pages)
    paths: dict[int, tuple[str, ...]] = {}
    current: tuple[str, ...] = ()
    for page in range(pages if begins else 0):
        here = begins.get(page)
        if here or current:
            paths[page] = here[0] if here else current
        current = here[-1] if here else current
    return paths


def _begins(entries: Iterable[OutlineEntry], pages: int) -> dict[int, list[tuple[str, ...]]]:
    """The paths of the entries that lead to each page, in the order of the outline."""
    begins: dict[int, list[tuple[str, ...]]] = {}
    above: list[str] = []
    for entry in entries:
        del above[entry.level :]
        above.extend([""] * (entry.level - len(above)))
        above.append(entry.title[:_LONGEST_TITLE])
        if entry.title and entry.page is not None and 0 <= entry.page < pages:
            begins.setdefault(entry.page, []).append(tuple(part for part in above if part))
    return begins
