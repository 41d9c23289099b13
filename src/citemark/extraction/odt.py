"""OpenDocument files (text, spreadsheet, presentation) to text with spans."""

from zipfile import ZipFile

from citemark.extraction.building import Builder
from citemark.extraction.odf_sheets import write_sheets
from citemark.extraction.odf_slides import write_slides
from citemark.extraction.odf_text import OdfText
from citemark.extraction.office import broken, locked, nothing_in, reading
from citemark.extraction.titles import sensible_title, tags_of
from citemark.extraction.xml_nodes import Node, attribute, child, children, name_of, parse_xml
from citemark.extraction.zips import open_zip
from citemark.model.text import Extracted

_WHAT = "OpenDocument file"
_TITLE = "Title"


def extract_odt(data: bytes, *, fallback_title: str) -> Extracted:
    """The text of an .odt, .ods or .odp file, whichever the file itself says that it is.

    In a text headings open sections; deleted text, comments and tables of contents are left out; notes stand below the
    paragraph that they belong to. Sheets are sections as in `extract_xlsx`, slides as in `extract_pptx`.

    Raises:
        SkippableSourceError: a password, a broken file, a zip bomb, or no text.
    """
    with open_zip(data) as file, reading(_WHAT):
        if any(name_of(node) == "encryption-data" for node in _part(file, "META-INF/manifest.xml").iter()):
            raise locked(_WHAT)
        return _extract(_part(file, "content.xml"), _part(file, "styles.xml"), _part(file, "meta.xml"), fallback_title)


def _extract(content: Node, styles: Node, meta: Node, fallback_title: str) -> Extracted:
    builder = Builder()
    automatic = child(content, "automatic-styles")
    text = OdfText(builder, _numbered(automatic) | _numbered(child(styles, "styles")), _named_titles(automatic))
    properties = _properties(meta)
    body = next(children(child(content, "body")), None)
    match name_of(body) if body is not None else "":
        case "text":
            text.blocks(body)
        case "spreadsheet":
            properties["hidden_sheets"] = ", ".join(write_sheets(builder, text, body, _hidden(automatic)))
        case "presentation":
            properties["slides"] = str(write_slides(builder, text, body))
        case _:
            raise broken(_WHAT, "it is neither a text, a spreadsheet nor a presentation")
    title = sensible_title(properties.pop("title", "")) or text.title or fallback_title
    tags = tags_of(properties.pop("keywords", ""))
    return builder.finish(title=title, nothing=nothing_in(_WHAT), tags=tags, metadata=properties)


def _part(file: ZipFile, name: str) -> Node:
    """The root of a part; an empty element for one that the file may lack."""
    if name != "content.xml" and name not in file.namelist():
        return parse_xml(b"<none/>")
    return parse_xml(file.read(name))


def _properties(meta: Node) -> dict[str, str]:
    stored: dict[str, list[str]] = {}
    for node in children(child(meta, "meta")):
        stored.setdefault(name_of(node), []).append(str(node.text or "").strip())
    first = {name: values[0] for name, values in stored.items()}
    return {
        "title": first.get("title", ""),
        "keywords": ",".join(stored.get("keyword", [])),
        "author": first.get("initial-creator", "") or first.get("creator", ""),
        "subject": first.get("subject", ""),
        "created": first.get("creation-date", "")[:10],
        "modified": first.get("date", "")[:10],
    }


def _numbered(styles: Node | None) -> frozenset[str]:
    """The list styles whose first level counts."""
    return frozenset(
        attribute(style, "name")
        for style in children(styles, "list-style")
        if name_of(next(children(style), style)) == "list-level-style-number"
    )


def _named_titles(automatic: Node | None) -> frozenset[str]:
    """The style of titles and those derived from it in this file."""
    derived = (
        attribute(style, "name")
        for style in children(automatic, "style")
        if attribute(style, "parent-style-name") == _TITLE
    )
    return frozenset({_TITLE, *derived})


def _hidden(automatic: Node | None) -> frozenset[str]:
    """The table styles that hide their sheet."""
    return frozenset(
        attribute(style, "name")
        for style in children(automatic, "style")
        if attribute(child(style, "table-properties"), "display") == "false"
    )
