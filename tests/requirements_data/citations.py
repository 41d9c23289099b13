"""Where a newcomer can open what a clause cites: a page of this repository and a heading on it."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from tests.requirements_data.form import Requirement

ROOT = Path(__file__).resolve().parents[2]

PAGES: Mapping[str, str] = MappingProxyType(
    {
        "KB": "docs/founding/tool-calls.md",
        "535": "docs/founding/model-reads.md",
        "ADR-008": "docs/founding/sampled-answers.md",
        "ADR-009": "docs/founding/search-scope.md",
        "DECISIONS": "docs/founding/rulings.md",
        "TOOLS": "docs/founding/tool-rules.md",
        "issue": "docs/founding/issues.md",
    }
)
"""The page of each family of sources. Pages have a heading for each section that a clause cites."""


class NothingToOpen(Exception):
    """A clause cites a section that no page has a heading for."""

    def __init__(self, source: str) -> None:
        super().__init__(
            f"{source!r}: no page under docs/founding has a heading for it; write the section in a sentence"
        )


def opened(clause: Requirement) -> Iterator[tuple[str, str]]:
    """Yield each source of a clause with its address, `docs/founding/page.md#heading`.

    Raises:
        NothingToOpen: a source has no page or no heading.
    """
    for source in (clause.source, *clause.also):
        yield source, address(source)


def address(source: str) -> str:
    """The address of one source, such as "KB 4.3", "DECISIONS R6" or "issue-7 part 3".

    Raises:
        NothingToOpen: it has no page or no heading.
    """
    family, _, section = source.partition(" ")
    if issue := re.fullmatch(r"issue-\d+", family):
        page, wanted = PAGES["issue"], issue[0]
    elif family in PAGES:
        page, wanted = PAGES[family], section if family == "DECISIONS" else source
    else:
        raise NothingToOpen(source)
    anchor = headings(page).get(wanted)
    if anchor is None:
        raise NothingToOpen(source)
    return f"{page}#{anchor}"


@cache
def headings(page: str) -> Mapping[str, str]:
    """The anchors of the headings of a page, by what stands before their colon."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"^#{2,} +(.+?) *$", text, flags=re.MULTILINE)
    return MappingProxyType({heading.partition(":")[0]: _anchor(heading) for heading in found})


def _anchor(heading: str) -> str:
    """The fragment that hosts of repositories make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
