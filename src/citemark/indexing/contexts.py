"""What is said around a chunk: the page's title and the headings above it."""

from collections.abc import Sequence

from citemark.model.text import Section

_BETWEEN = " > "


def heading_line(title: str, section: Section | None) -> str:
    """Write "Page > H2 > H3"; a first heading that repeats the title is said once."""
    return _BETWEEN.join(_parts(title, section))


def shortened(line: str, offsets: Sequence[tuple[int, int]], most: int) -> str:
    """The line with at most `most` word pieces: each of its parts keeps a fair share of them, from its begin."""
    if len(offsets) <= most:
        return line
    parts = line.split(_BETWEEN)
    parts = parts[:1] + parts[1:][-most // 4 :]
    share = max(1, (most - len(parts)) // len(parts))
    kept: list[str] = []
    at = 0
    for part in parts:
        begin = line.index(part, at)
        at = begin + len(part)
        inside = [end for start, end in offsets if begin <= start < at]
        kept.append(line[begin : inside[share - 1]] if len(inside) > share else part)
    return _BETWEEN.join(kept)


def _parts(title: str, section: Section | None) -> list[str]:
    title = " ".join(title.split())
    path = [part for part in (section.heading_path if section else ()) if part]
    if path and path[0].casefold() == title.casefold():
        path = path[1:]
    return [part for part in (title, *path) if part]
