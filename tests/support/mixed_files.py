"""A document written in each format that is read, and files that look like documents and cannot be read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from io import BytesIO
from textwrap import wrap
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import openpyxl
import pptx
from odf import text as odf_text
from odf.opendocument import OpenDocumentText
from tests.support.encrypted_office import compound
from tests.support.pdfs import lines, pdf

_LINES_OF_A_PAGE = 56
_WIDTH = 90


@dataclass(frozen=True, slots=True)
class Article:
    """What a document says: a title, and headings with the text below each."""

    title: str
    parts: Sequence[tuple[str, str]]


def as_pdf(article: Article) -> bytes:
    """Pages of lines as they would be set."""
    written = [article.title, ""]
    for heading, text in article.parts:
        written += [heading, "", *wrap(text, _WIDTH), ""]
    pages = [written[start : start + _LINES_OF_A_PAGE] for start in range(0, len(written), _LINES_OF_A_PAGE)]
    return pdf(*(lines(*page) for page in pages), info={"Title": article.title})


def as_word(article: Article) -> bytes:
    """Headings by style."""
    document: Any = docx.Document()
    document.core_properties.title = article.title
    for heading, text in article.parts:
        document.add_heading(heading, 1)
        document.add_paragraph(text)
    return _saved(document.save)


def as_sheets(article: Article) -> bytes:
    """A sheet with a row per part."""
    book = openpyxl.Workbook()
    sheet: Any = book.active
    sheet.title = "Data"
    sheet.append(["Topic", "What is said of it"])
    for heading, text in article.parts:
        sheet.append([heading, text])
    book.properties.title = article.title
    return _saved(book.save)


def as_slides(article: Article) -> bytes:
    """A slide per part."""
    show: Any = pptx.Presentation()
    show.core_properties.title = article.title
    for heading, text in article.parts:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = text
    return _saved(show.save)


def as_odt(article: Article) -> bytes:
    """Headings by outline level."""
    document: Any = OpenDocumentText()
    elements: Any = odf_text
    for heading, text in article.parts:
        document.text.addElement(elements.H(outlinelevel=1, text=heading))
        document.text.addElement(elements.P(text=text))
    return _saved(document.save)


def as_html(article: Article) -> bytes:
    """A page of a site, with the site around it."""
    parts = "".join(f"<h2 id=p{n}>{escape(h)}</h2><p>{escape(t)}</p>" for n, (h, t) in enumerate(article.parts))
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{escape(article.title)} | Site</title></head><body>"
        f"<nav>Home</nav><main><h1>{escape(article.title)}</h1>{parts}</main><footer>Imprint</footer></body></html>"
    ).encode()


def as_mail(article: Article) -> bytes:
    """A message of plain text and HTML."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "anna@example.org", "eva@example.org", article.title
    message["Date"] = "Mon, 05 Jan 2026 10:00:00 +0100"
    message.set_content("\n\n".join(f"{heading}\n\n{text}" for heading, text in article.parts))
    message.add_alternative(as_html(article).decode(), subtype="html")
    return message.as_bytes()


FORMATS: dict[str, Callable[[Article], bytes]] = {
    ".pdf": as_pdf,
    ".docx": as_word,
    ".xlsx": as_sheets,
    ".pptx": as_slides,
    ".odt": as_odt,
    ".html": as_html,
    ".eml": as_mail,
}


def unreadable(article: Article) -> dict[str, tuple[bytes, str]]:
    """Files by name, each with a word of the reason for which it cannot be read."""
    bomb = BytesIO()
    with ZipFile(bomb, "w", ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", bytes(64 * 1024 * 1024))
    return {
        "bomb.docx": (bomb.getvalue(), "zip bomb"),
        "cut.pptx": (as_slides(article)[:-2000], "damaged"),
        "empty.html": (b"<script>render()</script>", "no text"),
        "encrypted.eml": (b"From: a\nContent-Type: multipart/encrypted; boundary=b\n\n--b--\n", "encrypted"),
        "locked.docx": (compound("EncryptedPackage"), "password"),
        "locked.pdf": (pdf(lines("words"), locked=True), "password"),
        "noise.odt": (bytes(range(256)) * 40, "damaged"),
        "noise.pdf": (b"%PDF-1.7\n" + bytes(range(256)) * 40, "broken"),
        "old.doc": (compound("WordDocument"), "before 2007"),
        "scan.pdf": (pdf([]), "no text"),
        "words.rtf": (b"{\\rtf1 words}", "RTF"),
    }


def _saved(save: Callable[[BytesIO], Any]) -> bytes:
    out = BytesIO()
    save(out)
    return out.getvalue()
