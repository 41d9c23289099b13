"""The text of electronic books."""

import pytest
from tests.support.books import book, encryption, package, page
from tests.support.markdown import assert_sound

from citemark.extraction.epub import extract_epub
from citemark.extraction.formats import format_of
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted


def read(data: bytes) -> Extracted:
    found = extract_epub(data, fallback_title="A file")
    assert_sound(found)
    return found


@pytest.mark.requirement("books-are-read")
def test_chapters_are_sections_in_reading_order_as_deep_as_the_table_of_contents_says() -> None:
    found = read(book())
    assert [(each.level, each.slug, each.title) for each in found.sections] == [
        (1, "the-coast", "The coast"),
        (2, "the-coast/h", "Harbours"),
        (3, "the-coast/h/cranes", "Cranes"),
        (2, "the-coast/c2", "Light houses"),
        (3, "the-coast/c2/n1", "Lamps"),
        (1, "c3", "Notes"),
    ]
    assert "A pier is built of oak." in found.body
    assert found.sections[2].heading_path == ("The coast", "Harbours", "Cranes")


def test_the_words_around_a_chapter_are_its_own_and_no_furniture_of_a_site() -> None:
    body = read(book()).body
    assert body.index("Whoever reads on") < body.index("Finds the end.") < body.index("A note.")


def test_the_order_is_that_of_the_spine_and_not_that_of_names() -> None:
    body = read(book(opf=package(("c3", "c2", "c1", "c1")))).body
    assert body.index("Finds the end.") < body.index("A lamp turns") < body.index("A pier")
    assert body.count("A pier") == 1


def test_links_between_chapters_lead_to_the_sections_that_they_became() -> None:
    (to_chapter, to_note) = read(book()).links
    assert (to_chapter.text, to_chapter.target) == ("harbours", "#the-coast/h")
    assert (to_note.text, to_note.target) == ("1", "#the-coast/c2/n1")
    outside = page('<p><a href="https://example.org/a">there</a>, <a href="gone.xhtml">nowhere</a>.</p>')
    (link,) = read(book({"OEBPS/text/c3.xhtml": outside}, opf=package(("c3",)))).links
    assert link.target == "https://example.org/a"


def test_a_book_of_the_older_version_has_its_contents_in_a_file_of_their_own() -> None:
    found = read(book(opf=package(("p1", "c1"), nav=False)))
    assert [(each.level, each.title) for each in found.sections] == [(1, "The coast"), (2, "Harbours"), (3, "Cranes")]


def test_pages_that_no_table_of_contents_names_are_sections_of_their_own() -> None:
    found = read(book(opf=package(("c1", "c3"), nav=False), without="OEBPS/toc.ncx"))
    assert [(each.level, each.slug) for each in found.sections] == [(1, "h"), (2, "h/cranes"), (1, "c3")]


def test_a_book_says_who_wrote_it_in_which_language_and_what_it_is_about() -> None:
    metadata = (
        "<dc:creator>Ada</dc:creator><dc:creator>Ben</dc:creator><dc:language>de</dc:language>"
        "<dc:subject>Sea</dc:subject><dc:publisher>P</dc:publisher><dc:description>Never read</dc:description>"
    )
    found = read(book(opf=package(metadata=metadata)))
    assert (found.title, found.language, found.tags) == ("The shore", "de", ("Sea",))
    assert found.metadata == {"author": "Ada, Ben", "publisher": "P"}


def test_what_is_not_read_is_counted() -> None:
    opf = package(("c1", "pic", "gone")).replace("</manifest>", '<item id="gone" href="g.xhtml"/></manifest>')
    parts = {each.kind: each.count for each in read(book(opf=opf)).left_out}
    assert parts == {"page that is only a picture": 1, "missing chapter": 1}


@pytest.mark.requirement("books-are-read")
def test_one_damaged_chapter_costs_that_chapter() -> None:
    data = bytearray(book())
    place = data.index(b"text/c1.xhtml") + 40
    data[place : place + 20] = bytes(20)
    found = read(bytes(data))
    assert "A lamp turns" in found.body
    assert "damaged chapter" in {each.kind for each in found.left_out}


@pytest.mark.requirement("books-are-read")
@pytest.mark.parametrize(
    ("file", "named"),
    [
        ("META-INF/rights.xml", "Adobe ADEPT"),
        ("META-INF/sinf.xml", "Apple FairPlay"),
        ("META-INF/license.lcpl", "Readium LCP"),
        ("META-INF/other", "DRM"),
    ],
)
def test_a_book_that_is_protected_against_copying_is_named_with_its_protection(file: str, named: str) -> None:
    with pytest.raises(SkippableSourceError, match=rf"protected against copying \({named}\)"):
        read(book({"META-INF/encryption.xml": encryption("OEBPS/text/c1.xhtml"), file: "<x/>"}))


def test_a_book_whose_fonts_alone_are_encrypted_is_read() -> None:
    fonts = encryption("OEBPS/fonts/a.otf")
    mangled = encryption("OEBPS/text/c1.xhtml", "http://www.idpf.org/2008/embedding")
    for files in ({"META-INF/encryption.xml": fonts}, {"META-INF/encryption.xml": mangled}):
        assert "A pier" in read(book(files)).body


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (book(opf="<package"), "does not say in which order"),
        (book(opf="<package/>"), "names no pages"),
        (book(without="OEBPS/book.opf"), "does not say in which order"),
        (book(opf=package(("pic",))), "holds no text"),
        (b"PK\x03\x04 mimetypeapplication/epub+zip", "damaged"),
    ],
)
def test_a_book_that_cannot_be_read_says_why(data: bytes, said: str) -> None:
    with pytest.raises(SkippableSourceError, match=said):
        read(data)


def test_a_table_of_contents_that_no_program_could_read_costs_nothing_but_its_titles() -> None:
    endless = '<!DOCTYPE ncx [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><ncx><navMap>&b;</navMap></ncx>'
    for nav, ncx in (("\0\xff", endless), ("<nav>" + "<ol><li>" * 5_000, "<ncx"), ("", "")):
        found = read(book({"OEBPS/nav.xhtml": nav, "OEBPS/toc.ncx": ncx}))
        assert "A pier is built of oak." in found.body


def test_a_book_is_known_by_its_content_whatever_it_is_called() -> None:
    for name in ("shore.epub", "shore.docx", "shore.zip", "shore"):
        kind = format_of(name, book())
        assert kind is not None
        assert kind.name == "epub"
