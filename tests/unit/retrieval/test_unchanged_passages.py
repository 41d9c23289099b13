"""A passage of a changed document is shown only where all that is shown of it still stands."""

from dataclasses import replace

import pytest
from tests.support.chunks import stored

from citemark.extraction.markdown.document import extract_markdown
from citemark.model.candidates import StoredChunk
from citemark.model.documents import Verdict
from citemark.retrieval.access import Access, Verified

BEFORE = """# Doses

Shake well.

## Adults

| drug | mg a day |
|------|----------|
| ABC  | 3        |
| XYZ  | 4        |

Take it at night.

## Children

| drug | days |
|---|---|
| XYZ | 9 |

Take it at noon.
"""


def _changed(body: str) -> Verified:
    return Verified(Verdict.CHANGED, extract_markdown(body, fallback_title="Doses"))


def _chunk(text: str, *headings: str, header: str = "") -> StoredChunk:
    context = " > ".join(("Doses", *headings[1:])) + (f"\n{header}" if header else "")
    return replace(stored(1, text), title="Doses", heading_path=headings, context=context)


@pytest.mark.requirement("changed-hit-reread-or-withheld", "failed-verification-shows-nothing")
@pytest.mark.parametrize(
    ("change", "access"),
    [
        (("Shake", "Stir"), Access.STANDS),
        (("| drug | mg a day |", "| drug   | mg a day   |"), Access.STANDS),
        (("| drug | mg a day |", "| drug | mg an hour |"), Access.WITHHELD),
        (("## Adults", "## Dogs"), Access.WITHHELD),
        (("| ABC  | 3        |\n", ""), Access.WITHHELD),
        (
            ("| drug | mg a day |\n|------|----------|\n", "| drug | g | \n|---|---|\n\n| drug | mg a day |\n\n"),
            Access.WITHHELD,
        ),
    ],
)
def test_a_row_under_a_changed_header_is_withheld(change: tuple[str, str], access: Access) -> None:
    row = _chunk("| ABC  | 3        |", "Doses", "Adults", header="| drug | mg a day |")
    longer = replace(row, text="| ABC  | 3        |\n| XYZ  | 4        |\n\nTake it at night.")
    assert BEFORE.count(change[0]) == 1
    now = _changed(BEFORE.replace(*change))
    assert now.access(row) == access
    assert now.access(longer) == access


@pytest.mark.requirement("changed-hit-reread-or-withheld", "failed-verification-shows-nothing")
def test_a_passage_that_moved_under_another_heading_is_withheld() -> None:
    passage = _chunk("Take it at night.", "Doses", "Adults")
    above = _chunk("Shake well.", "Doses")
    unheaded = _chunk("Take it at night.")
    now = _changed(BEFORE.replace("Shake well.", "Stir well."))
    assert now.access(passage) == Access.STANDS
    assert now.access(unheaded) == Access.WITHHELD
    now = _changed(BEFORE.replace("night", "dawn").replace("noon", "night"))
    assert now.access(passage) == Access.WITHHELD
    assert now.access(above) == Access.STANDS
    now = _changed(f"Take it at night.\n\n{BEFORE}")
    assert now.access(unheaded) == Access.STANDS


@pytest.mark.requirement("changed-hit-reread-or-withheld", "failed-verification-shows-nothing")
def test_a_passage_of_a_page_with_another_title_is_withheld() -> None:
    passage = _chunk("Take it at night.", "Doses", "Adults")
    assert _changed(BEFORE.replace("# Doses", "# Amounts")).access(passage) == Access.WITHHELD


@pytest.mark.requirement("changed-hit-reread-or-withheld", "failed-verification-shows-nothing")
def test_a_row_that_moved_into_a_table_of_another_section_is_withheld() -> None:
    row = _chunk("| ABC  | 3        |", "Doses", "Adults", header="| drug | mg a day |")
    moved = BEFORE.replace("| ABC  | 3        |\n", "").replace("| drug | days |\n|---|---|\n", "")
    table = "| drug | mg a day |\n|---|---|\n| ABC  | 3        |\n"
    assert _changed(moved.replace("| XYZ | 9 |\n", table)).access(row) == Access.WITHHELD


@pytest.mark.requirement("changed-hit-reread-or-withheld")
def test_the_date_that_a_document_states_is_left_out_where_the_document_changed() -> None:
    dated = replace(stored(1), dated="2026-01-31")
    assert Access.SHOWN.vouched(dated).dated == "2026-01-31"
    assert Access.STANDS.vouched(dated).dated == ""
