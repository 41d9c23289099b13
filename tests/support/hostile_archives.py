"""Office files made to fill memory, to reach outside, or to break whoever unpacks them."""

from collections.abc import Callable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tests.support.mixed_files import FORMATS, Article

ARTICLE = Article("Care of the pump", [("Sealing", "The seal is replaced every 400 hours. " * 20)])
_OFFICE = {"word": ".docx", "sheet": ".xlsx", "slides": ".pptx", "odf": ".odt"}
_PARTS = {".docx": "word/document.xml", ".xlsx": "xl/worksheets/sheet1.xml", ".pptx": "ppt/slides/slide1.xml"}
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def repacked(suffix: str, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """A sound file with its parts changed; None leaves a part out."""
    out = BytesIO()
    with ZipFile(BytesIO(FORMATS[suffix](ARTICLE))) as source, ZipFile(out, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            data = change(name, source.read(name))
            if data is not None:
                target.writestr(name, data)
    return out.getvalue()


def part(suffix: str, name: str, made: bytes | Callable[[bytes], bytes]) -> bytes:
    """A sound file with one part that is not."""
    return repacked(
        suffix, lambda found, data: (made if isinstance(made, bytes) else made(data)) if found == name else data
    )


def _archive(entries: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def _text(inside: str, before: str = "") -> bytes:
    """The main part of a Word file."""
    body = f"<w:document {_W}><w:body>{inside}</w:body></w:document>"
    return f'<?xml version="1.0"?>{before}{body}'.encode()


def _paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def laughing(levels: int = 9) -> str:
    """A document type whose last entity is a thousand million letters long."""
    rows = "".join(f'<!ENTITY l{n} "' + f"&l{n - 1};" * 10 + '">' for n in range(1, levels))
    return f'<!DOCTYPE x [<!ENTITY l0 "lol">{rows}]>'


def _external(target: str) -> Callable[[bytes], bytes]:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"
    row = f'<Relationship Id="out" Type="{kind}" Target="{target}" TargetMode="External"/></Relationships>'
    return lambda data: data.replace(b"</Relationships>", row.encode())


def _with_entry(name: str, data: bytes, mode: int = 0) -> bytes:
    out = BytesIO(FORMATS[".docx"](ARTICLE))
    with ZipFile(out, "a", ZIP_DEFLATED) as archive:
        entry = ZipInfo(name)
        entry.external_attr = mode << 16
        archive.writestr(entry, data)
    return out.getvalue()


def _nested() -> bytes:
    data = bytes(2**20)
    for _ in range(10):
        data = _archive({"word/document.xml": data, "inner.zip": data[: 2**20]})
    return data


def _of_xml() -> dict[str, bytes]:
    """Word files whose main part is odd XML."""
    name = _PARTS[".docx"]
    bodies = {
        "laughs": _text(_paragraph("&l8;"), laughing()),
        "quadratic": _text(_paragraph("&q;" * 10_000), "<!DOCTYPE x [<!ENTITY q '" + "q" * 10_000 + "'>]>"),
        "entity-of-file": _text(_paragraph("&f;"), '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'),
        "entity-of-net": _text(_paragraph("&f;"), '<!DOCTYPE x [<!ENTITY f SYSTEM "http://127.0.0.1:9/">]>'),
        "type-of-net": _text(_paragraph("a"), '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">'),
        "entity-of-itself": _text(_paragraph("&a;"), '<!DOCTYPE x [<!ENTITY a "&a;">]>'),
        "deep": _text("<w:sdt><w:sdtContent>" * 3_000 + _paragraph("deep") + "</w:sdtContent></w:sdt>" * 3_000),
        "deep-tables": _text("<w:tbl><w:tr><w:tc>" * 400 + _paragraph("in") + "</w:tc></w:tr></w:tbl>" * 400),
        "long-run": _text(_paragraph("run " * 50_000)),
        "many-runs": _text(f"<w:p>{'<w:r><w:t>a</w:t></w:r>' * 50_000}</w:p>"),
        "attributes": _text("<w:p " + " ".join(f'a{n}="1"' for n in range(20_000)) + "/>"),
        "unclosed": _text(_paragraph("a"))[:-20],
        "nul": _text(_paragraph("a\x00b")),
        "wrong-encoding": b'<?xml version="1.0" encoding="utf-32"?>' + _text(_paragraph("a"))[21:],
        "unknown-encoding": b'<?xml version="1.0" encoding="klingon"?>' + _text(_paragraph("a"))[21:],
        "no-xml": bytes(range(256)) * 100,
        "nothing": b"",
    }
    return {f"word-{kind}.docx": part(".docx", name, data) for kind, data in bodies.items()}


def _of_sheets() -> dict[str, bytes]:
    name = _PARTS[".xlsx"]
    begin = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    sheet = "{}{}<sheetData>{}</sheetData></worksheet>".format
    cell = '<row r="{0}"><c r="A{0}" t="inlineStr"><is><t>{1}</t></is></c></row>'.format
    bodies = {
        "whole-dimension": sheet(begin, '<dimension ref="A1:XFD1048576"/>', cell(1, "a") + cell(1_048_576, "z")),
        "far-row": sheet(begin, "", cell(2**31, "far")),
        "long-cell": sheet(begin, "", cell(1, "cell " * 30_000)),
        "wrong-string": sheet(begin, "", '<row r="1"><c r="A1" t="s"><v>99999999</v></c></row>'),
        "odd-number": sheet(begin, "", '<row r="1"><c r="A1"><v>1e999</v></c><c r="B1"><v>NaN</v></c></row>'),
        "odd-date": sheet(begin, "", '<row r="1"><c r="A1" t="d"><v>99999-99-99</v></c></row>'),
        "merged": sheet(begin, "", cell(1, "a")).replace(
            "</worksheet>", '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>'
        ),
        "laughs": laughing() + sheet(begin, "", cell(1, "&l8;")),
    }
    return {f"sheet-{kind}.xlsx": part(".xlsx", name, data.encode()) for kind, data in bodies.items()}


def archives() -> dict[str, bytes]:
    """Files by name."""
    document = _PARTS[".docx"]
    word = FORMATS[".docx"](ARTICLE)
    found = {
        "many-entries.docx": _archive({f"word/document{n}.xml": b"" for n in range(20_000)}),
        "nested.docx": _nested(),
        "bomb-of-style.docx": part(".docx", "word/styles.xml", bytes(32 * 2**20)),
        "bomb-of-slides.pptx": part(".pptx", _PARTS[".pptx"], b"<a>" * (8 * 2**20)),
        "bomb-of-odf.odt": part(".odt", "content.xml", bytes(32 * 2**20)),
        "twice.docx": word + word,
        "entry-outside.docx": _with_entry("../../outside.txt", b"out"),
        "entry-absolute.docx": _with_entry("/etc/outside.txt", b"out"),
        "entry-link.docx": _with_entry("word/link.xml", b"/etc/passwd", 0o120777),
        "no-directory.docx": word[: word.rfind(b"PK\x01\x02")],
        "no-types.docx": repacked(".docx", lambda name, data: None if name == "[Content_Types].xml" else data),
        "no-body.docx": repacked(".docx", lambda name, data: None if name == document else data),
        "template-of-net.docx": part(".docx", "word/_rels/document.xml.rels", _external("http://127.0.0.1:9/a.dotm")),
        "template-of-file.docx": part(".docx", "word/_rels/document.xml.rels", _external("file:///etc/passwd")),
        "template-of-share.docx": part(".docx", "word/_rels/document.xml.rels", _external("\\\\127.0.0.1\\a")),
        "slides-laughs.pptx": part(".pptx", _PARTS[".pptx"], lambda data: data.replace(b"<p:sld", _DTD + b"<p:sld", 1)),
        "odf-laughs.odt": part(".odt", "content.xml", lambda data: data.replace(b"<office:", _DTD + b"<office:", 1)),
        "empty.docx": _archive({}),
        "archive.zip.docx": _archive({"a.txt": b"no document"}),
    }
    for kind, suffix in _OFFICE.items():
        found[f"{kind}-wrong-sum{suffix}"] = _flipped(FORMATS[suffix](ARTICLE))
    return found | _of_xml() | _of_sheets()


def _flipped(data: bytes) -> bytes:
    """Each 97th byte is another one: lengths, sums and names are wrong here and there."""
    return bytes(byte ^ 0x55 if place % 97 == 96 else byte for place, byte in enumerate(data))


_DTD = laughing().encode()
