"""Small files of every format, each with one word in a part that readers easily pass over."""

# ruff: noqa: E501 - each element of XML is one literal

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from importlib import import_module
from io import BytesIO
from typing import Any, cast
from zipfile import ZIP_DEFLATED, ZipFile

import docx
import openpyxl
import pptx
from openpyxl.comments import Comment
from pptx.util import Inches

WORD = "quokka"
"""The word that is hidden in each file; what surrounds it says nothing."""

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_DRAWING = (
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
)
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301"
    "0100c9fe92ef0000000049454e44ae426082"
)


@dataclass(frozen=True, slots=True)
class HiddenPart:
    """A file. `named` is what its notice must contain if the word itself is not read; "" if it has to be read."""

    name: str
    path: str
    data: bytes
    named: str = ""


def hidden_parts() -> Iterator[HiddenPart]:
    """All of the files."""
    for made in (_docx_parts, _xlsx_parts, _pptx_parts, _odf_parts, _html_parts, _pdf_parts, _mail_parts, _other_parts):
        yield from made()


def _zip(parts: Mapping[str, str | bytes], base: bytes = b"") -> bytes:
    """A package: the parts of `base`, some of which are replaced or added."""
    old: dict[str, bytes] = {}
    if base:
        with ZipFile(BytesIO(base)) as archive:
            old = {name: archive.read(name) for name in archive.namelist()}
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, data in {**old, **parts}.items():
            archive.writestr(name, data)
    return out.getvalue()


def _part(base: bytes, name: str) -> str:
    with ZipFile(BytesIO(base)) as archive:
        return archive.read(name).decode()


def _saved(document: Any) -> bytes:
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def _plain_docx() -> Any:
    document: Any = docx.Document()
    document.add_paragraph("Some plain words.")
    return document


def _docx(run: str = "", related: Mapping[str, str] | None = None) -> bytes:
    """A Word file with runs at its end, and further parts by kind ("comments"): their root's name is the kind's."""
    base = _saved(_plain_docx())
    body = _part(base, "word/document.xml").replace("<w:sectPr", f"<w:p {_DRAWING}>{run}</w:p><w:sectPr", 1)
    parts: dict[str, str | bytes] = {"word/document.xml": body}
    rels, types = _part(base, "word/_rels/document.xml.rels"), _part(base, "[Content_Types].xml")
    for kind, content in (related or {}).items():
        rel = f'<Relationship Id="x{kind}" Type="{_RELATED}/{kind}" Target="{kind}.xml"/>'
        rels = rels.replace("</Relationships>", f"{rel}</Relationships>")
        mime = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml"
        override = f'<Override PartName="/word/{kind}.xml" ContentType="{mime}"/>'
        types = types.replace("</Types>", f"{override}</Types>")
        parts[f"word/{kind}.xml"] = f"<w:{kind} {_W}>{content}</w:{kind}>"
    return _zip({**parts, "word/_rels/document.xml.rels": rels, "[Content_Types].xml": types}, base)


def _docx_parts() -> Iterator[HiddenPart]:
    words = f"<w:p><w:r><w:t>{WORD}</w:t></w:r></w:p>"
    text = f"<w:r><w:t>{WORD}</w:t></w:r>"
    for kind in ("footnote", "endnote"):
        part = f'<w:{kind} w:id="7">{words}</w:{kind}>'
        data = _docx(f'<w:r><w:{kind}Reference w:id="7"/></w:r>', {f"{kind}s": part})
        yield HiddenPart(f"docx {kind}", "a.docx", data)
    comment = f'<w:comment w:id="3" w:author="Ada">{words}</w:comment>'
    yield HiddenPart(
        "docx comment", "a.docx", _docx('<w:r><w:commentReference w:id="3"/></w:r>', {"comments": comment})
    )
    document = _plain_docx()
    document.sections[0].header.paragraphs[0].text = f"The {WORD} report"
    yield HiddenPart("docx header", "a.docx", _saved(document))
    document = _plain_docx()
    document.sections[0].different_first_page_header_footer = True
    document.sections[0].first_page_footer.paragraphs[0].text = f"The {WORD} report"
    yield HiddenPart("docx footer of the first page", "a.docx", _saved(document))
    box = f"<w:r><w:drawing><wp:inline><wps:txbx><w:txbxContent>{words}</w:txbxContent></wps:txbx></wp:inline></w:drawing></w:r>"
    yield HiddenPart("docx text box", "a.docx", _docx(box))
    alt = f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="A {WORD} asleep"/><pic:pic/></wp:inline></w:drawing></w:r>'
    yield HiddenPart("docx picture with a description", "a.docx", _docx(alt))
    document = _plain_docx()
    document.add_picture(BytesIO(_PIXEL))
    yield HiddenPart("docx picture", "a.docx", _saved(document), "1 image without text")
    yield HiddenPart("docx chart", "a.docx", _docx("<w:r><w:drawing><c:chart/></w:drawing></w:r>"), "1 chart")
    hidden = f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>{WORD}</w:t></w:r>"
    yield HiddenPart("docx hidden text", "a.docx", _docx(hidden), "1 hidden text")
    ole = '<w:r><w:object><o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office"/></w:object></w:r>'
    yield HiddenPart("docx embedded object", "a.docx", _docx(ole), "1 embedded object")
    yield HiddenPart("docx inserted text", "a.docx", _docx(f'<w:ins w:id="1" w:author="x">{text}</w:ins>'))
    yield HiddenPart("docx content control", "a.docx", _docx(f"<w:sdt><w:sdtContent>{text}</w:sdtContent></w:sdt>"))
    document = _plain_docx()
    document.core_properties.keywords = WORD
    yield HiddenPart("docx keyword", "a.docx", _saved(document))
    document = _plain_docx()
    document.add_table(1, 2).rows[0].cells[1].add_table(1, 2).rows[0].cells[1].text = WORD
    yield HiddenPart("docx table in a table", "a.docx", _saved(document))


def _xlsx_parts() -> Iterator[HiddenPart]:
    def book(change: Any) -> bytes:
        made: Any = openpyxl.Workbook()
        made.active.append(["Fruit", "kg"])
        made.active.append(["pears", 4])
        change(made)
        return _saved(made)

    def commented(made: Any) -> None:
        made.active["B2"].comment = Comment(f"weigh the {WORD}", "Ada")

    def hidden_sheet(made: Any) -> None:
        sheet = made.create_sheet("Secret")
        sheet["A1"], sheet.sheet_state = WORD, "hidden"

    def hidden_row(made: Any) -> None:
        made.active["A3"] = WORD
        made.active.row_dimensions[3].hidden = True

    def hidden_column(made: Any) -> None:
        made.active["D2"] = WORD
        made.active.column_dimensions["D"].hidden = True

    def header(made: Any) -> None:
        made.active.oddHeader.center.text = f"The {WORD} sheet"

    def chart(made: Any) -> None:
        bars: Any = cast("Any", import_module("openpyxl.chart")).BarChart()
        bars.title = f"Weight of the {WORD}"
        made.active.add_chart(bars, "E5")

    for name, change, named in (
        ("comment", commented, ""),
        ("hidden sheet", hidden_sheet, "1 hidden sheet"),
        ("hidden row", hidden_row, ""),
        ("hidden column", hidden_column, ""),
        ("header", header, ""),
        ("title of a chart", chart, ""),
    ):
        yield HiddenPart(f"xlsx {name}", "a.xlsx", book(change), named)


def _pptx_parts() -> Iterator[HiddenPart]:
    def deck(change: Any) -> bytes:
        made: Any = pptx.Presentation()
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text = "Plain"
        change(slide)
        return _saved(made)

    def notes(slide: Any) -> None:
        slide.notes_slide.notes_text_frame.text = WORD

    def group(slide: Any) -> None:
        box = slide.shapes.add_group_shape().shapes.add_textbox(0, 0, Inches(1), Inches(1))
        box.text_frame.text = WORD

    def grid(slide: Any) -> None:
        slide.shapes.add_table(1, 2, 0, 0, Inches(2), Inches(1)).table.cell(0, 1).text = WORD

    def hidden(slide: Any) -> None:
        slide.placeholders[1].text = WORD
        slide._element.set("show", "0")

    def picture(slide: Any) -> None:
        slide.shapes.add_picture(BytesIO(_PIXEL), 0, 0)

    def described(slide: Any) -> None:
        shape = slide.shapes.add_picture(BytesIO(_PIXEL), 0, 0)
        shape._element.nvPicPr.cNvPr.set("descr", f"A {WORD} asleep")

    def footer(slide: Any) -> None:
        box = slide.shapes.add_textbox(0, 0, Inches(1), Inches(1))
        box.text_frame.text = f"The {WORD} deck"
        properties = box._element.nvSpPr.nvPr
        placeholder = properties.makeelement(
            "{http://schemas.openxmlformats.org/presentationml/2006/main}ph", {"type": "ftr", "idx": "11"}
        )
        properties.append(placeholder)

    for name, change, named in (
        ("notes", notes, ""),
        ("group", group, ""),
        ("table", grid, ""),
        ("hidden slide", hidden, ""),
        ("picture", picture, "1 image without text"),
        ("picture with a description", described, ""),
        ("footer", footer, ""),
    ):
        yield HiddenPart(f"pptx {name}", "a.pptx", deck(change), named)
    yield HiddenPart("pptx comment", "a.pptx", _commented_deck())


def _commented_deck() -> bytes:
    """A presentation with a comment as PowerPoint 2007 stores it."""
    made: Any = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[6]).shapes.add_textbox(0, 0, 9, 9).text_frame.text = "Plain"
    base = _saved(made)
    name = "http://schemas.openxmlformats.org/presentationml/2006/main"
    rels = _part(base, "ppt/slides/_rels/slide1.xml.rels").replace(
        "</Relationships>",
        f'<Relationship Id="rc" Type="{_RELATED}/comments" Target="../comments/comment1.xml"/></Relationships>',
    )
    types = _part(base, "[Content_Types].xml").replace(
        "</Types>",
        '<Override PartName="/ppt/comments/comment1.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.presentationml.comments+xml"/></Types>',
    )
    comments = f'<p:cmLst xmlns:p="{name}"><p:cm authorId="0" idx="1"><p:text>the {WORD}</p:text></p:cm></p:cmLst>'
    parts = {
        "ppt/comments/comment1.xml": comments,
        "ppt/slides/_rels/slide1.xml.rels": rels,
        "[Content_Types].xml": types,
    }
    return _zip(parts, base)


def _odf_parts() -> Iterator[HiddenPart]:
    names = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
        for short, long in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"))
    )
    more = (
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
        'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
    )
    note = f"<office:annotation><dc:creator>Ada</dc:creator><text:p>the {WORD}</text:p></office:annotation>"

    def file(kind: str, body: str, *, automatic: str = "", master: str = "") -> bytes:
        suffix = {"text": "text", "spreadsheet": "spreadsheet", "presentation": "presentation"}[kind]
        content = (
            f"<office:document-content {names} {more}><office:automatic-styles>{automatic}</office:automatic-styles>"
            f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
        )
        styles = (
            f"<office:document-styles {names} {more}><office:master-styles>{master}</office:master-styles>"
            "</office:document-styles>"
        )
        mime = f"application/vnd.oasis.opendocument.{suffix}"
        return _zip({"mimetype": mime, "content.xml": content, "styles.xml": styles})

    plain = "<text:p>Some plain words.</text:p>"
    yield HiddenPart("odt comment", "a.odt", file("text", f"<text:p>Words{note}</text:p>"))
    foot = f"<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>{WORD}</text:p></text:note-body></text:note>"
    yield HiddenPart("odt footnote", "a.odt", file("text", f"<text:p>Words{foot}</text:p>"))
    header = f'<style:master-page style:name="M"><style:header><text:p>The {WORD}</text:p></style:header></style:master-page>'
    yield HiddenPart("odt header", "a.odt", file("text", plain, master=header))
    image = "<draw:frame><draw:image/>{}</draw:frame>"
    yield HiddenPart("odt picture", "a.odt", file("text", plain + image.format("")), "1 image without text")
    described = image.format(f"<svg:desc>A {WORD} asleep</svg:desc>")
    yield HiddenPart("odt picture with a description", "a.odt", file("text", f"{plain}<text:p>x {described}</text:p>"))
    box = f"<draw:frame><draw:text-box><text:p>{WORD}</text:p></draw:text-box></draw:frame>"
    yield HiddenPart("odt text box", "a.odt", file("text", f"<text:p>Words{box}</text:p>"))
    thing = "<draw:frame><draw:object/></draw:frame>"
    yield HiddenPart("odt embedded object", "a.odt", file("text", plain + thing), "1 embedded object")
    cell = f'<table:table table:name="S"><table:table-row><table:table-cell>{note}<text:p>12</text:p></table:table-cell></table:table-row></table:table>'
    yield HiddenPart("ods comment", "a.ods", file("spreadsheet", cell))
    hides = '<style:style style:name="H"><style:table-properties table:display="false"/></style:style>'
    secret = f'<table:table table:style-name="H" table:name="T"><table:table-row><table:table-cell><text:p>{WORD}</text:p></table:table-cell></table:table-row></table:table>'
    shown = cell.replace(note, "")
    hidden = file("spreadsheet", shown + secret, automatic=hides)
    yield HiddenPart("ods hidden sheet", "a.ods", hidden, "1 hidden sheet")
    frame = (
        f'<draw:frame presentation:class="notes"><draw:text-box><text:p>{WORD}</text:p></draw:text-box></draw:frame>'
    )
    slide = f"<draw:page><draw:frame><draw:text-box>{plain}</draw:text-box></draw:frame>{{}}</draw:page>"
    notes = f"<presentation:notes>{frame}</presentation:notes>"
    yield HiddenPart("odp notes", "a.odp", file("presentation", slide.format(notes)))
    yield HiddenPart("odp comment", "a.odp", file("presentation", slide.format(note)))


def _html_parts() -> Iterator[HiddenPart]:
    words = f"<p>words of the {WORD} here</p>"
    for name, body, named in (
        ("fold", f"<details><summary>More</summary>{words}</details>", ""),
        ("tab panel", f"<div role=tabpanel hidden>{words}</div>", ""),
        ("tab pane of a library", f'<div class="tab-pane" style="display:none">{words}</div>', ""),
        ("closed accordion", f'<div class="accordion-collapse collapse" aria-hidden="true">{words}</div>', ""),
        ("part that searching opens", f'<div hidden="until-found">{words}</div>', ""),
        ("hidden part", f"<div hidden>{words}</div>", "1 hidden part"),
        ("invisible part", f'<div style="display: none">{words}</div>', "1 hidden part"),
        ("part for browsers without scripts", f"<noscript>{words}</noscript>", "1 part for browsers without scripts"),
        ("template", f"<template>{words}</template>", "1 template"),
        ("picture with a description", f'<img src=x alt="a {WORD} asleep">', ""),
        ("picture", f"<img src={WORD}.png>", "1 image without text"),
        ("embedded page", f"<iframe src={WORD}></iframe>", "1 embedded page"),
        ("drawing", f"<svg><text>{WORD}</text></svg>", "1 drawing"),
        ("field", f"<textarea>{WORD}</textarea>", "1 form field"),
        ("value of a field", f"<input value={WORD}>", "1 form field"),
        ("choice", f"<select><option>{WORD}</select>", "1 list of choices"),
        ("video", f"<video src={WORD}></video>", "1 video"),
        ("caption of a table", f"<table><caption>{WORD}</caption><tr><td>a<td>b</table>", ""),
        ("caption of a figure", f"<figure><img src=x alt=''><figcaption>{WORD}</figcaption></figure>", ""),
    ):
        page = f"<!doctype html><title>Plain page</title><p>Some plain words.</p>{body}"
        yield HiddenPart(f"html {name}", "a.html", page.encode(), named)
    head = f'<!doctype html><title>Plain page</title><meta name="description" content="the {WORD}"><p>Some plain words.</p>'
    yield HiddenPart("html description", "a.html", head.encode())
    yield HiddenPart("html title", "a.html", f"<!doctype html><title>The {WORD}</title><p>Words.</p>".encode())


def _pdf(
    *objects: str, page: str = "", catalog: str = "", content: str = "BT /F 12 Tf 72 700 Td (Plain words) Tj ET"
) -> bytes:
    """A PDF of one page; object 10 and those after it are the given ones."""
    fixed = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        f"/Resources << /Font << /F 5 0 R >> /XObject << /I 6 0 R >> >> {page} >>",
        4: f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        5: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        6: "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>"
        "\nstream\nx\nendstream",
    }
    numbered = fixed | dict(enumerate(objects, 10))
    out, places = b"%PDF-1.7\n", dict[int, int]()
    for number, text in numbered.items():
        places[number] = len(out)
        out += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = b"".join(f"{number} 1\n{place:010} 00000 n \n".encode() for number, place in places.items())
    return (
        out
        + b"xref\n0 1\n0000000000 65535 f \n"
        + table
        + (f"trailer\n<< /Root 1 0 R /Size {max(numbered) + 1} >>\nstartxref\n{len(out)}\n%%EOF\n").encode()
    )


def _pdf_parts() -> Iterator[HiddenPart]:
    rect = "/Rect [72 500 300 540]"
    annotated = "/Annots [10 0 R]"

    def noted(subtype: str, more: str = "") -> bytes:
        text = f"<< /Type /Annot /Subtype /{subtype} {rect} /Contents (the {WORD}) /T (Ada) {more} >>"
        return _pdf(text, page=annotated)

    for name, subtype in (
        ("typed text", "FreeText"),
        ("note", "Text"),
        ("marked words", "Highlight"),
        ("stamp", "Stamp"),
    ):
        yield HiddenPart(f"pdf {name}", "a.pdf", noted(subtype))
    form = "/AcroForm << /Fields [10 0 R] >>"
    for name, field in (
        ("form field", f"/FT /Tx /T (name) /V (the {WORD})"),
        ("choice", f"/FT /Ch /Ff 131072 /T (animal) /V ({WORD}) /Opt [({WORD}) (wombat)]"),
        ("label of a field", f"/FT /Tx /T (f1) /TU (Name of the {WORD}) /V (Bo)"),
    ):
        widget = f"<< /Type /Annot /Subtype /Widget {rect} {field} >>"
        yield HiddenPart(f"pdf {name}", "a.pdf", _pdf(widget, page=annotated, catalog=form))
    files = f"/Names << /EmbeddedFiles << /Names [({WORD}.txt) 10 0 R] >> >>"
    file = f"<< /Type /Filespec /F ({WORD}.txt) /UF ({WORD}.txt) /EF << /F 11 0 R >> >>"
    stored = "<< /Type /EmbeddedFile /Length 1 >>\nstream\nx\nendstream"
    yield HiddenPart("pdf attached file", "a.pdf", _pdf(file, stored, catalog=files), "1 attached file")
    picture = "BT /F 12 Tf 72 700 Td (Plain words) Tj ET q 400 0 0 400 72 200 cm /I Do Q"
    yield HiddenPart("pdf picture", "a.pdf", _pdf(content=picture), "1 image without text")


def _mail_parts() -> Iterator[HiddenPart]:
    def mail(change: Any) -> bytes:
        made = EmailMessage()
        made["From"], made["To"], made["Subject"] = "ada@example.org", "bo@example.org", "Plain"
        made.set_content("Some plain words.\n")
        change(made)
        return bytes(made)

    event = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260401T090000Z\r\nSUMMARY:{WORD}\r\n"
    event += "END:VEVENT\r\nEND:VCALENDAR\r\n"
    inner = EmailMessage()
    inner["From"], inner["Subject"] = "cy@example.org", "Inner"
    inner.set_content(f"the {WORD}\n")
    nested = EmailMessage()
    nested["From"], nested["Subject"] = "cy@example.org", "Inner"
    nested.set_content("Words.\n")
    nested.add_attachment(f"the {WORD}", filename="deep.txt")
    page = f"<p>{'Many other words. ' * 20}</p><p>the {WORD}</p>"
    attach: Any = EmailMessage.add_attachment
    changes: tuple[tuple[str, Callable[[Any], object], str], ...] = (
        ("invitation", lambda m: m.add_alternative(event.encode(), maintype="text", subtype="calendar"), ""),
        (
            "attached invitation",
            lambda m: attach(m, event.encode(), maintype="text", subtype="calendar", filename="i.ics"),
            "",
        ),
        ("attached text", lambda m: attach(m, f"the {WORD}", filename="notes.txt"), ""),
        ("attached table", lambda m: attach(m, f"a;b\n1;{WORD}\n", subtype="csv", filename="t.csv"), ""),
        (
            "attached Word file",
            lambda m: attach(
                m,
                _docx(f"<w:r><w:t>{WORD}</w:t></w:r>"),
                maintype="application",
                subtype="octet-stream",
                filename="a.docx",
            ),
            "",
        ),
        ("attached message", lambda m: attach(m, inner), ""),
        (
            "attached file of a message",
            lambda m: attach(m, bytes(nested), maintype="application", subtype="octet-stream", filename="m.eml"),
            "",
        ),
        (
            "attached picture",
            lambda m: attach(m, _PIXEL, maintype="image", subtype="png", filename="p.png"),
            "1 image without text",
        ),
        (
            "attached archive",
            lambda m: attach(m, _zip({"x.txt": WORD}), maintype="application", subtype="zip", filename="z.zip"),
            "1 attachment without text",
        ),
        ("page with more than the plain text", lambda m: m.add_alternative(page, subtype="html"), ""),
    )
    for name, change, named in changes:
        yield HiddenPart(f"mail {name}", "a.eml", mail(change), named)


def _other_parts() -> Iterator[HiddenPart]:
    def event(*lines: str) -> bytes:
        inside = ("UID:1", "SUMMARY:Plain", "DTSTART:20260401T090000Z", *lines)
        return "\r\n".join(["BEGIN:VCALENDAR", "BEGIN:VEVENT", *inside, "END:VEVENT", "END:VCALENDAR", ""]).encode()

    alarm = ("BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT5M", f"DESCRIPTION:Take the {WORD}", "END:VALARM")
    stored = "ATTACH;FMTTYPE=text/plain;ENCODING=BASE64;VALUE=BINARY:cXVva2th"
    for name, lines, named in (
        ("reminder", alarm, ""),
        ("guest", (f"ATTENDEE;CN={WORD}:mailto:q@example.org",), ""),
        ("attachment", (f"ATTACH:https://example.org/{WORD}.pdf",), ""),
        ("stored file", (stored,), "1 embedded file"),
        ("comment", (f"COMMENT:Bring the {WORD}",), ""),
        ("place", (f"LOCATION:The {WORD} room",), ""),
    ):
        yield HiddenPart(f"ics {name}", "a.ics", event(*lines), named)
    todo = f"BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:2\r\nSUMMARY:Feed the {WORD}\r\nEND:VTODO\r\nEND:VCALENDAR\r\n"
    yield HiddenPart("ics to-do", "a.ics", todo.encode())
    cells = [
        {"cell_type": "markdown", "source": "Some plain words."},
        {"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": WORD}]},
    ]
    yield HiddenPart("notebook output", "a.ipynb", json.dumps({"cells": cells}).encode(), "1 output of a code cell")
