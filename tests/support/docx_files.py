"""Writes real Word documents with python-docx, and by hand what it cannot write."""

from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml

NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def word(fill: Callable[[Any], None]) -> bytes:
    """The bytes of a new document that `fill` has written into."""
    document = docx.Document()
    fill(document)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def add_xml(document: Any, xml: str) -> None:
    """Append a body element written as XML, whose prefixes are declared."""
    name, _, rest = xml.strip().partition(">")
    closing = "/" if name.endswith("/") else ""
    document.element.body.insert_element_before(
        parse_xml(f"{name.removesuffix('/')} {NAMESPACES}{closing}>{rest}"), "w:sectPr"
    )


def link_id(document: Any, target: str) -> str:
    """The id of a new relationship to an address."""
    return document.part.relate_to(target, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)


def with_parts(data: bytes, parts: dict[str, str]) -> bytes:
    """The document with parts added or replaced; "footnotes" and "endnotes" are declared as Word does."""
    content = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    related = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    out = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(out, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            text = source.read(name)
            for kind in parts:
                if name == "[Content_Types].xml":
                    entry = f'<Override PartName="/word/{kind}.xml" ContentType="{content}.{kind}+xml"/></Types>'
                    text = text.replace(b"</Types>", entry.encode())
                if name == "word/_rels/document.xml.rels":
                    entry = f'<Relationship Id="own-{kind}" Type="{related}/{kind}" Target="{kind}.xml"/>'
                    text = text.replace(b"</Relationships>", f"{entry}</Relationships>".encode())
            target.writestr(name, text)
        for kind, xml in parts.items():
            target.writestr(f"word/{kind}.xml", xml)
    return out.getvalue()
