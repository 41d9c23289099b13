"""A small document for every reader, with as many of the things that it reads as fit on a page."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.message import EmailMessage
from io import BytesIO
from json import dumps
from textwrap import dedent
from types import MappingProxyType
from typing import Any, cast
from zipfile import ZipFile

import openpyxl
import pptx
from odf import table as odf_table
from odf import text as odf_text
from odf.opendocument import OpenDocumentText
from openpyxl.styles import Font
from pptx.util import Inches
from tests.nextcloud.pim.texts import contact, event
from tests.support.books import book
from tests.support.calendar_entries import read as read_event
from tests.support.docx_files import word
from tests.support.model_files import E, R, Sketch
from tests.support.pdfs import lines as pdf_lines
from tests.support.pdfs import pdf

from citemark.features.archimate.source.model_file import documents_of
from citemark.features.archimate.source.reader import read_model
from citemark.features.nextcloud.source.contacts.reader import ContactReader
from citemark.features.nextcloud.source.dav.kinds import ResourceLocation
from citemark.features.nextcloud.source.deck.boards import CardPosition
from citemark.features.nextcloud.source.deck.card_text import card_text
from citemark.features.nextcloud.source.deck.cards import Assignee, Card
from citemark.features.nextcloud.source.notes.api import FullNote, Note
from citemark.features.nextcloud.source.notes.app import note_text
from citemark.model.ids import NativeId
from citemark.model.text import Extracted

MARKDOWN = dedent(
    """\
    ---
    title: The pump
    tags: [pumps, safety]
    ---

    Read this first. `PumpControl.start_all()` needs v1.2.3, see [the manual](manual.md#limits).

    # The pump

    1. Open the valve, <b>slowly</b>.
    2. Press **Start**; 10<sup>6</sup> litres.

    | Part | Limit |
    | ---- | ----- |
    | seal | 80 °C |

    ## Stopping

    > Never by the ~~lever~~ breaker.

    ```sh
    pump stop --now
    ```
    """
)
ORG = dedent(
    """\
    #+TITLE: The pump
    #+FILETAGS: :pumps:

    * Stopping
    Never by the breaker, see [[file:manual.org][the manual]].
    - seal
    """
)
PAGE = (
    "<!doctype html><html lang=en><head><title>The pump</title></head><body><nav>Home</nav><main><h1>The pump</h1>"
    "<p>It holds 10<sup>6</sup> litres<a href='n.html'>.</a> <s>Never</s> stop it.</p><ul><li>seal<li>valve</ul>"
    "<table><tr><th>Part<th>2021<th>2022<tr><td>seal<td>80<td>81</table><pre>pump stop</pre></main></body></html>"
)
_HOME = "/remote.php/dav/addressbooks/users/alice/contacts/"


def _saved(save: Callable[[BytesIO], Any]) -> bytes:
    out = BytesIO()
    save(out)
    return out.getvalue()


def _word(document: Any) -> None:
    document.add_heading("The pump", 1)
    paragraph = document.add_paragraph("It holds 10")
    paragraph.add_run("6").font.superscript = True
    paragraph.add_run(" litres, ")
    paragraph.add_run("never").font.strike = True
    document.add_paragraph("seal", style="List Bullet")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ["Part", "2021", "seal", "80"], strict=True):
        cell.text = text


def _sheets() -> bytes:
    book = openpyxl.Workbook()
    book.properties.created = datetime(2026, 11, 25)  # noqa: DTZ001 - openpyxl wants none
    sheet: Any = book.active
    for row in (["Pumps", None], [None, None], ["Part", "2021", "Checked"], ["seal", 80.5, datetime(2026, 3, 1)]):  # noqa: DTZ001
        sheet.append(row)
    sheet["B4"].number_format = "0.00"
    sheet["A4"].font = Font(strike=True)
    return _changed_on(_saved(book.save), b"2026-11-25")


def _changed_on(office_file: bytes, day: bytes) -> bytes:
    """The file as if it had been saved on a day: openpyxl writes the present one, which becomes metadata."""
    changed = BytesIO()
    with ZipFile(BytesIO(office_file)) as old, ZipFile(changed, "w") as new:
        for entry in old.infolist():
            content = old.read(entry)
            if entry.filename == "docProps/core.xml":
                content = re.sub(rb"(W3CDTF\">)\d{4}-\d\d-\d\d", rb"\g<1>" + day, content)
            new.writestr(entry, content)
    return changed.getvalue()


def _slides() -> bytes:
    show: Any = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "The pump"
    slide.placeholders[1].text = "Never by the breaker"
    slide.notes_slide.notes_text_frame.text = "Say it twice"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(4), Inches(4), Inches(1)).table
    for number, text in enumerate(["Part", "2021", "seal", "80"]):
        table.cell(number // 2, number % 2).text = text
    return _saved(show.save)


def _open_text() -> bytes:
    document: Any = OpenDocumentText()
    text, table = cast("Any", odf_text), cast("Any", odf_table)
    document.text.addElement(text.H(outlinelevel=1, text="The pump"))
    document.text.addElement(text.P(text="Never by the breaker"))
    parts = table.Table(name="Parts")
    for cells in (["Part", "2021"], ["seal", "80"]):
        row = table.TableRow()
        for words in cells:
            cell = table.TableCell()
            cell.addElement(text.P(text=words))
            row.addElement(cell)
        parts.addElement(row)
    document.text.addElement(parts)
    return _saved(document.save)


def _mail() -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "anna@example.org", "eva@example.org", "The pump"
    message["Date"] = "Mon, 05 Jan 2026 10:00:00 +0100"
    message.set_content(PAGE, subtype="html")
    message.add_attachment("seal;80\n", filename="parts.csv")
    return message


def _calendar_file() -> bytes:
    data = event("e", "Pump check", start="20261124T140000", minutes=120, zone="Europe/Berlin", location="Room 5")
    return data.encode()


def _saved_page() -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "<Saved by a browser>", "The pump"
    message.set_content(PAGE, subtype="html")
    message.make_related()
    return message.as_bytes()


def _canvas() -> bytes:
    nodes = [
        {"id": "1", "type": "text", "x": 0, "y": 0, "text": "# The pump\nNever by the breaker."},
        {"id": "2", "type": "file", "x": 0, "y": 9, "file": "seal.md"},
    ]
    return dumps({"nodes": nodes, "edges": [{"fromNode": "1", "toNode": "2", "label": "needs"}]}).encode()


def _drawing() -> bytes:
    elements = [{"type": "text", "x": 0, "y": 0, "text": "Never by the breaker"}]
    return dumps({"type": "excalidraw", "elements": elements}).encode()


def _notebook() -> bytes:
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": "# The pump\n\nNever by the breaker."},
        {"cell_type": "code", "metadata": {}, "source": "pump.stop()", "outputs": [], "execution_count": 1},
    ]
    return dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


FILES: Mapping[str, tuple[str, bytes]] = MappingProxyType(
    {
        "markdown": ("pump.md", MARKDOWN.encode()),
        "plain": ("log.txt", b"THE LOG\n\nMonday: nothing.\nTuesday: raised to 200.\n\n  - a note\n"),
        "code": ("pump.py", b"def stop() -> None:\n    raise Never\n\n\nLIMIT = 80\n"),
        "table": ("seals.csv", b"Pumps\n\npart;2021\n" + b"".join(b"seal %d;%d\n" % (n, n) for n in range(5))),
        "html": ("pump.html", PAGE.encode()),
        "mail": ("pump.eml", _mail().as_bytes()),
        "mhtml": ("pump.mht", _saved_page()),
        "pdf": ("pump.pdf", pdf(pdf_lines("The pump", "", "Never by the", "breaker."), pdf_lines("The end."))),
        "docx": ("pump.docx", word(_word)),
        "xlsx": ("pump.xlsx", _sheets()),
        "pptx": ("pump.pptx", _slides()),
        "odt": ("pump.odt", _open_text()),
        "icalendar": ("pump.ics", _calendar_file()),
        "bibtex": (
            "pumps.bib",
            b'@article{mueller19, author = {M{\\"u}ller, Hans}, title = {On {P}umps}, year = 2019, doi = {10.1/a}}\n',
        ),
        "csl": (
            "pumps.json",
            b'[{"id": "m19", "type": "book", "title": "On Pumps", "issued": {"date-parts": [[2019]]}}]\n',
        ),
        "org": ("pump.org", ORG.encode()),
        "canvas": ("pump.canvas", _canvas()),
        "excalidraw": ("pump.excalidraw", _drawing()),
        "notebook": ("pump.ipynb", _notebook()),
        "epub": ("shore.epub", book()),
    }
)
"""A file for each reader of files, by the reader's name."""


def _note() -> list[Extracted]:
    return [note_text(FullNote(Note(NativeId("1"), "e", 0), "The pump", "- seal\n", "", "", favourite=False, error=""))]


def _card() -> list[Extracted]:
    card = Card(
        "1", "2", "The pump", "Never by the **breaker**.", ("urgent",), (Assignee("eva", "Eva"),), "anna",
        datetime(2026, 3, 1, 9, tzinfo=UTC), None, False, False, 0, 0, 0, True,
    )  # fmt: skip
    return [card_text(card, CardPosition("3", "Works", "2", "To do", board_archived=False), (), ())]


def _contact() -> list[Extracted]:
    read = ContactReader("https://cloud.example")
    data = contact("c", "Tomasz Wilk", email="wilk@example.org", extra=["ORG:Kranich;Archive", "NOTE:Has the ladder"])
    return [read(data, NativeId("c"), ResourceLocation(f"{_HOME}c.vcf", _HOME, "Contacts")).extracted]


def _event() -> list[Extracted]:
    data = event("e", "Pump check", start="20261124T140000", minutes=120, zone="Europe/Berlin", location="Room 5")
    return [read_event(data).extracted]


def _model() -> list[Extracted]:
    sketch = Sketch([E("a", name="Pump", documentation="Never stop it."), E("b", "Node")], [R("Serving", "a", "b")])
    return [each.extracted for each in documents_of(read_model(sketch.exchange()))]


OTHERS: Mapping[str, Callable[[], list[Extracted]]] = MappingProxyType(
    {"notes": _note, "deck": _card, "contacts": _contact, "calendar": _event, "archimate": _model}
)
"""What is read of an entry of each other source, by the reader's name."""
