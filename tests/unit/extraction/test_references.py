"""Lists of references: one section per reference, titled as people call it, in the text as it is written."""

import json

import pytest
from tests.support.markdown import assert_sound

from citemark.extraction.references import extract_bibtex, extract_csl
from citemark.model.text import Extracted

pytestmark = pytest.mark.requirement("references-are-read")

BIB = r"""% my references
@string{jacm = "Journal of the {ACM}"}
@comment{ignored, title = {No}}

@article{mueller2019,
  author  = {M{\"u}ller, Hans and Lovelace, Ada},
  title   = "On {B}races, and \"{U}bermut",
  journal = jacm # { (online)},
  year    = 2019,
  doi     = {10.1000/xyz},
  file    = {Full Text:files/12/mueller.pdf:application/pdf;/home/me/private.pdf},
}

@book(knuth84, editor={Donald E. Knuth and others}, title={The {\TeX}book}, date={1984-05-01})

@misc{untitled, url = {https://example.org/x}}
"""


def titles(found: Extracted) -> list[tuple[str, str]]:
    return [(section.slug, section.title) for section in found.sections]


def test_each_reference_is_a_section_titled_by_people_year_and_title_in_plain_letters() -> None:
    found = extract_bibtex(BIB, fallback_title="refs")
    assert_sound(found)
    assert titles(found) == [
        ("mueller2019", "Hans Müller, Ada Lovelace (2019): On Braces, and Übermut"),
        ("knuth84", "Donald E. Knuth et al. (1984): The TeXbook"),
        ("untitled", "untitled"),
    ]
    assert found.sections[0].span.of(BIB).startswith("@article{mueller2019,")
    assert found.sections[0].span.of(BIB).endswith("}")


def test_a_reference_leads_to_its_address_and_to_files_below_the_folder() -> None:
    found = extract_bibtex(BIB, fallback_title="refs")
    assert [link.target for link in found.links] == [
        "https://doi.org/10.1000/xyz",
        "files/12/mueller.pdf",
        "https://example.org/x",
    ]


def test_a_broken_reference_costs_itself_and_no_other() -> None:
    body = (
        "@article{one, title={A}}\n@article{two, title={open,\n\n@article{three, title={C}}\n"
        "@book{four, title={D}, x=}\n"
    )
    assert [slug for slug, _ in titles(extract_bibtex(body, fallback_title="f"))] == ["one", "three", "four"]


def test_every_line_of_the_file_is_read() -> None:
    found = extract_bibtex(BIB, fallback_title="refs")
    read = " ".join(block.span.of(BIB) for block in found.blocks)
    assert read.split() == BIB.split()


@pytest.mark.parametrize(
    "body", ["", "@", "@a{", "@a{b", "@a{b,", "@a(b,c=", '@a{b,c="}', "@a{b,c={}#}", "}}}@x{k,t={{}", "\\"]
)
def test_any_text_is_a_list_of_references(body: str) -> None:
    assert_sound(extract_bibtex(body, fallback_title="f"))


def test_braces_that_nothing_closes_are_looked_at_once() -> None:
    for body in ("@a{" * 20_000, "@a(" * 20_000, '@a{k,t="' * 10_000, "{" * 60_000, "@a{k," + "x=1#" * 15_000 + "}"):
        assert_sound(extract_bibtex(body, fallback_title="f"))


def test_csl_items_are_references_and_other_json_is_data() -> None:
    items = [
        {
            "id": "http://zotero.org/1",
            "citation-key": "lovelace1843",
            "type": "article-journal",
            "title": "Notes on the Engine",
            "author": [{"family": "Lovelace", "given": "Ada"}, {"literal": "Royal Society"}],
            "issued": {"date-parts": [[1843, 9]]},
            "DOI": "10.1/abc",
        },
        {"id": 7, "type": "book", "title": "Other"},
    ]
    body = json.dumps(items, indent=2)
    found = extract_csl(body, fallback_title="library")
    assert [json.loads(block.span.of(body)) for block in found.blocks] == items, "no comma or bracket between is text"
    assert titles(found) == [
        ("lovelace1843", "Ada Lovelace, Royal Society (1843): Notes on the Engine"),
        ("7", "Other"),
    ]
    assert [link.target for link in found.links] == ["https://doi.org/10.1/abc"]
    for other in ('{"a": 1}', "[1, 2]", '[{"id": 1}]', '[{"id": 1, "type": "x"}]', "[", "", "not json", "[" * 10_000):
        assert extract_csl(other, fallback_title="f").sections == ()
