"""The app that shows quotes with their sources."""

from typing import TYPE_CHECKING, Any

from citemark.tools.app_parts import browsed, place, said
from citemark.tools.registry import HostApp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from citemark.results.found_quotes import EvidenceOut, FoundEvidenceOut, FoundQuoteOut
    from citemark.tools.registry import ToolCall


async def _shown(_: "ToolCall", out: "FoundEvidenceOut | EvidenceOut") -> "Mapping[str, Any]":
    return {"found": said(out), "quotes": [_quote(each) for each in out.quotes]}


def _quote(found: "FoundQuoteOut") -> dict[str, Any]:
    from citemark.evidence.readable import readable  # noqa: PLC0415 - listing the tools takes no text apart

    return {
        "words": readable(found.quote, found.header or "", found.cut),
        "more": found.more,
        "cited": place(found.citation),
        "url": browsed(found.citation.url),
    }


QUOTES_APP = HostApp("quotes", "Quotes with their sources", _shown)
