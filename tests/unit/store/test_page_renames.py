"""Which section took over from which within a page."""

from tests.support.operations import operations
from tests.support.pages import page_of

from citemark.model.pages import Page
from citemark.store.database import Row
from citemark.store.page_renames import section_pairs


def vanished(page: Page) -> list[Row]:
    """All sections of a revision, in an order that the database might choose, as if the next one lacked them."""
    rows = [
        {
            "native_id": f"{page.key.native_id}#{entry.section.slug}",
            "ordinal": number,
            "text": entry.section.span.of(page.body),
        }
        for number, entry in enumerate(page.sections)
    ]
    return rows[::-1]


def paired(old: Page, new: Page) -> dict[str, str]:
    slugs = {entry.section.slug for entry in new.sections}
    return dict(section_pairs(vanished(old), new, slugs))


def manual(heading: str, sections: int, line: str = "Line {n} of the manual.") -> Page:
    """A page of sections of two lines; every second one says the same."""
    return page_of(
        1,
        "a.md",
        "".join(f"# {heading} {n}\n{line.format(n=n)}\nSee step {n // 2 * 2}.\n" for n in range(sections)),
    )


def test_a_page_of_thousands_of_sections_under_a_new_top_heading_is_paired_without_comparing_each_with_each() -> None:
    old, new = manual("Guide", 4000), manual("Handbook", 4000)
    edited = manual("Handbook", 4000, "Line {n} of the handbook.")
    few_old, few_new, few_edited = (manual("Guide", 500), manual("Handbook", 500), manual("Handbook", 500, "Line {n}."))
    assert paired(old, new) == {f"a.md#guide-{n}": f"handbook-{n}" for n in range(4000)}
    for few, many in (((few_old, few_new), (old, new)), ((few_old, few_edited), (old, edited))):
        small, large = (operations(lambda pages=pages: paired(*pages)) for pages in (few, many))
        assert large < 9 * small


def test_equal_text_wins_over_similar_text_that_stands_before_it() -> None:
    lines = "".join(f"Line {n}.\n" for n in range(9))
    old = page_of(1, "a.md", f"# One\n{lines}First.\n# Two\n{lines}Second.\n")
    new = page_of(1, "a.md", f"# Eins\n{lines}Second.\n# Zwei\n{lines}Third.\n")
    assert paired(old, new) == {"a.md#two": "eins", "a.md#one": "zwei"}


def test_sections_of_equal_text_are_paired_in_their_order() -> None:
    old = page_of(1, "a.md", "# One\nThe same.\n# Two\nThe same.\n# Three\nThe same.\n")
    new = page_of(1, "a.md", "# Eins\nThe same.\n# Zwei\nThe same.\n")
    assert paired(old, new) == {"a.md#one": "eins", "a.md#two": "zwei"}


def test_sections_without_text_and_those_with_few_common_lines_are_not_paired() -> None:
    old = page_of(1, "a.md", "# One\n# Two\nHalf of it.\nThe other half.\n")
    new = page_of(1, "a.md", "# Eins\n# Zwei\nHalf of it.\nAnother half.\n")
    assert paired(old, new) == {}


def test_lines_that_many_sections_have_tell_none_of_them_from_another() -> None:
    old = page_of(1, "a.md", "# Call\nReturns nothing.\nRaises nothing.\nTakes a path.\n")
    others = "".join(f"# Other {n}\nReturns nothing.\nRaises nothing.\n" for n in range(30))
    new = page_of(1, "a.md", f"{others}# Invoke\nReturns nothing.\nRaises nothing.\nTakes a path.\nAnd a mode.\n")
    assert paired(old, new) == {"a.md#call": "invoke"}
