"""The page that draws a view of a model from its own layout, as `citemark view --svg` does."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from citemark.features.archimate.commands.picture import picture_of
from citemark.features.archimate.services.keys import MODEL_LISTING
from citemark.features.archimate.services.requests import PartList, PartRef, QueryScope, ViewRequest
from citemark.model.architecture import ELEMENT, VIEW
from citemark.model.errors import BackendUnavailable
from citemark.services.asked_states import state_asked
from citemark.text.citation_line import line_of
from citemark.web.asked import Asked
from citemark.web.page_addresses import address_of_document
from citemark.web.rendering import Page
from citemark.web.search_page import found_data

_MOST_VIEWS = 500
"""Views that are listed; a model with more of them is searched."""

_EVERYTHING = 10_000
"""Elements of a view; a page that is drawn whole has no pages."""


async def view(asked: Asked) -> Page:
    """A view of a model, drawn, with its elements; without a view, all that there are."""
    scope = QueryScope(read_context=state_asked(asked.text("as_of") or None, None))
    listing = (await asked.index.services()).get(MODEL_LISTING)
    wanted, source = asked.text("view"), asked.text("source")
    if not wanted:
        listed = await listing.parts(asked.caller, PartList(scope, VIEW, page_size=_MOST_VIEWS))
        views = [
            {
                "name": card.part.name,
                "source": card.citation.source,
                "open": address_of_view(card.citation.source, VIEW, card.part.native_id),
            }
            for card in listed.parts
        ]
        return Page("view", {"shown": None, "views": views, "total": listed.total, "found": found_data(listed.meta)})
    ref = PartRef(scope, VIEW, wanted, source or None)
    page = await listing.view(asked.caller, ViewRequest(ref, page_size=_EVERYTHING))
    if not page.text:
        raise BackendUnavailable("The model does not confirm this view now; try again in a moment.")
    citation, name = page.card.citation, page.card.part.name
    drawn = await asyncio.to_thread(picture_of, page.layout, name)
    shown: dict[str, Any] = {
        "name": name,
        "source": citation.source,
        "read": address_of_document(citation.source, citation.document_id),
        "cited": line_of(citation),
        "citation": citation.as_dict(),
        "elements": [
            {
                "name": card.part.name,
                "type": card.part.type,
                "read": address_of_document(card.citation.source, card.part.native_id),
                "place": {"source": card.citation.source, "doc_type": ELEMENT, "document_id": card.part.native_id},
            }
            for card in page.elements
        ],
    }
    return Page(
        "view",
        {"shown": shown, "views": [], "total": 0, "found": found_data(page.meta)},
        looks={"picture": Markup(drawn)},  # noqa: S704 - drawn and escaped by us
    )


def address_of_view(source: str, doc_type: str, document_id: str) -> str:
    """The address of a view as a picture; "" for a document that is none."""
    return "/view?" + urlencode({"source": source, "view": document_id}) if doc_type == VIEW else ""
