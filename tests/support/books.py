"""Electronic books (EPUB) as publishers make them."""

from collections.abc import Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title/></head><body>'
    '<nav epub:type="landmarks"><ol><li><a href="text/c2.xhtml">Begin here</a></li></ol></nav><nav epub:type="toc"><ol>'
    '<li><a href="text/p1.xhtml">The coast</a><ol><li><a href="text/c1.xhtml">Harbours</a></li>'
    '<li><a href="text/c2.xhtml#top">Light houses</a></li></ol></li><li><a href="text/c3.xhtml">Notes</a></li>'
    "</ol></nav></body></html>"
)
NCX = (
    '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">'
    '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><navMap><navPoint id="a"><navLabel>'
    '<text>The coast</text></navLabel><content src="text/p1.xhtml"/><navPoint id="b"><navLabel><text>Harbours</text>'
    "</navLabel>"
    '<content src="text/c1.xhtml"/></navPoint></navPoint></navMap></ncx>'
)


def page(body: str, head: str = "<title/>") -> str:
    """A page of a book."""
    return f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head><body>{body}</body></html>'


PAGES = {
    "c1": page('<h1 id="h">Harbours</h1><p>A pier is built of <a id="x"/>oak.</p><h2>Cranes</h2><p>They lift.</p>'),
    "c2": page(
        '<p>A lamp turns, see <a href="c1.xhtml#h">harbours</a> and <a href="#n1">1</a>.</p>'
        '<h2 id="n1">Lamps</h2><p>Oil.</p>'
    ),
    "p1": page("<h1>The coast</h1>"),
    "c3": page("<header>Whoever reads on</header><p>Finds the end.</p><aside><p>A note.</p></aside>"),
}
ORDER = ("p1", "c1", "c2", "c3")


def package(order: tuple[str, ...] = ORDER, *, metadata: str = "", nav: bool = True) -> str:
    """The package document of a book with pages in this order; without `nav`, it is one of EPUB 2."""
    items = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>' for name in PAGES
    )
    items += '<item id="pic" href="p.svg" media-type="image/svg+xml"/>'
    items += '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>' if nav else ""
    items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    refs = "".join(f'<itemref idref="{name}"/>' for name in order)
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>The shore</dc:title>{metadata}</metadata><manifest>{items}</manifest>"
        f'<spine toc="ncx">{refs}</spine></package>'
    )


def book(files: Mapping[str, str] | None = None, *, opf: str = "", without: str = "") -> bytes:
    """A book of four pages: `files` replace or join its files, and one can be missing."""
    whole = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": opf or package(),
        "OEBPS/nav.xhtml": NAV,
        "OEBPS/toc.ncx": NCX,
        "OEBPS/p.svg": "<svg/>",
        **{f"OEBPS/text/{name}.xhtml": text for name, text in PAGES.items()},
        **(files or {}),
    }
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip", ZIP_STORED)
        for name, text in whole.items():
            if name != without:
                archive.writestr(name, text, ZIP_DEFLATED)
    return out.getvalue()


def encryption(place: str, method: str = "http://www.w3.org/2001/04/xmlenc#aes128-cbc") -> str:
    """What a book says of an encrypted file in it."""
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        f'<e:EncryptedData><e:EncryptionMethod Algorithm="{method}"/><e:CipherData><e:CipherReference URI="{place}"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )
