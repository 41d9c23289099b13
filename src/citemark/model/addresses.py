"""Addresses that open a document at the part that is meant."""

import re
from pathlib import PurePosixPath
from urllib.parse import quote

_PAGE = re.compile(r"page-(\d+)")
_REPEATED = re.compile(r"~\d+$")
_WEB_PAGES = frozenset({".html", ".htm", ".xhtml"})


def address_of(url: str | None, native_id: str, slug: str | None) -> str | None:
    """The address of a section of the page `native_id`, which `url` opens; `url` itself where nothing can be added.

    A PDF opens at its page (RFC 8118), a web page at the heading's id, the last part of the slug. Of other formats no
    viewer is known to understand more.
    """
    if not url or not slug or "#" in url:
        return url
    last = slug.rpartition("/")[2]
    suffix = PurePosixPath(native_id).suffix.lower()
    if suffix == ".pdf" and (page := _PAGE.fullmatch(last)) is not None:
        return f"{url}#page={page[1]}"
    if suffix in _WEB_PAGES and not _REPEATED.search(last):
        return f"{url}#{quote(last, safe='!$&()*+,;=:@.-_~')}"
    return url
