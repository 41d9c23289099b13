"""The pages of time: states that have a name, a search then and now, and what differs between two states."""

from typing import Any
from urllib.parse import urlencode

from citemark.model.citation import Citation, iso
from citemark.model.errors import InvalidArgument
from citemark.model.scope import RequestScope
from citemark.services.asked_states import HEAD, selected, state_named
from citemark.services.bundle import LISTED_BASELINES
from citemark.services.document_diff import DocumentChange
from citemark.services.history_keys import BASELINES, DOCUMENT_DIFF
from citemark.services.requests import DiffRequest, SearchRequest
from citemark.services.responses import SearchPage
from citemark.text.citation_line import line_of
from citemark.web.asked import Asked
from citemark.web.begun_work import Work
from citemark.web.document_page import place_side
from citemark.web.page_addresses import address_of_citation
from citemark.web.rendering import Page
from citemark.web.search_page import found_data, hit_data

_HITS = 10
"""Hits of each of two states: a screen of them."""

_CHANGES = 25
"""Documents that differ on one page."""

_SHORT = 10
"""Characters of an abbreviated commit hash, as git shows them."""


async def time(asked: Asked) -> Page:
    """The states that have a name."""
    return Page("time", {"owner": asked.is_owner, **_fields(asked), "states": await _states(asked)})


async def then(asked: Asked) -> Page:
    """The same search in two states, side by side."""
    data: dict[str, Any] = {**_fields(asked), "states": await _states(asked), "sides": []}
    question = asked.question()
    if not question:
        return Page("then", data)
    services = await asked.index.services()
    pages: list[SearchPage] = []
    for name in _pair(asked):
        state, scope = selected(name), RequestScope(source=asked.text("source") or None)
        request = SearchRequest(question, top_k=_HITS, page_size=_HITS, scope=scope, read_context=state)
        pages.append(await services.search.find(asked.caller, request))
    files = await services.catalog.local_files(asked.caller)
    sides: list[dict[str, Any]] = []
    for page, other in zip(pages, reversed(pages), strict=True):
        ranks = {_document(hit.citation): hit.rank for hit in reversed(other.hits)}
        texts = {hit.citation.revision_id for hit in other.hits}
        sides.append(
            {
                "state": state_named(page.meta.read_context),
                "hits": [
                    {
                        **hit_data(hit, files),
                        "other_rank": ranks.get(_document(hit.citation)),
                        "same_text": hit.citation.revision_id in texts,
                    }
                    for hit in page.hits
                ],
                "found": found_data(page.meta),
            }
        )
    return Page("then", {**data, "sides": sides})


async def differences(asked: Asked) -> Page:
    """The documents that differ between two states, each with what it said before and says after."""
    data: dict[str, Any] = {**_fields(asked), "states": await _states(asked), "changes": [], "counts": None, "next": ""}
    if not asked.text("before"):
        return Page("differences", data)
    before, after = _pair(asked)
    prefix, source = asked.text("path"), asked.text("source")
    request = DiffRequest(
        before,
        after,
        scope=RequestScope(source=source or None),
        path_prefixes=(prefix,) if prefix else (),
        page_size=_CHANGES,
        cursor=asked.text("cursor") or None,
    )
    service = (await asked.index.services()).get(DOCUMENT_DIFF)
    page = await service.documents(asked.caller, request)
    cursor = await service.cursor(asked.caller, request, page, len(page.changes))
    counts = page.counts
    given = {name: value for name, value in _fields(asked).items() if value}
    return Page(
        "differences",
        {
            **data,
            "from_state": state_named(page.pair.before),
            "to_state": state_named(page.pair.after),
            "changes": [_change(change) for change in page.changes],
            "counts": {
                "added": counts.added,
                "removed": counts.removed,
                "changed": counts.changed,
                "renamed": counts.renamed,
            },
            "notes": list(page.meta.notes),
            "withheld": page.meta.withheld_unverified,
            "incomplete": page.meta.reading.line,
            "next": "" if cursor is None else "/differences?" + urlencode({**given, "cursor": cursor}),
        },
    )


async def name_state(asked: Asked, _: Work) -> str:
    """Give the present state a name; where to go next.

    Raises:
        InvalidArgument: the name is not allowed or taken, or no source keeps history.
    """
    app, source = await asked.index.app(), asked.text("source")
    await app.services.get(BASELINES).create(asked.text("name"), (source,) if source else ())
    return "/time"


def _fields(asked: Asked) -> dict[str, str]:
    return {**asked.fields("q", "before", "source", "path"), "after": asked.text("after") or HEAD}


def _pair(asked: Asked) -> tuple[str, str]:
    """The names of the two states.

    Raises:
        InvalidArgument: only one is given.
    """
    before = asked.text("before")
    if not before:
        raise InvalidArgument("Say which state to compare with: a day, a moment, or the name of a state.")
    return before, asked.text("after") or HEAD


async def _states(asked: Asked) -> list[dict[str, Any]]:
    """The named states that the person may read, the newest first."""
    listed = await (await asked.index.services()).get(LISTED_BASELINES).list(asked.caller)
    return [
        {
            "name": each.baseline.name,
            "as_of": iso(each.as_of.replace(microsecond=0)),
            "sources": [of.source.name for of in each.sources],
            "commits": sorted({of.commit_id[:_SHORT] for of in each.sources if of.commit_id}),
            "differences": "/differences?" + urlencode({"before": each.baseline.name}),
        }
        for each in reversed(listed)
    ]


def _document(citation: Citation) -> tuple[str, str]:
    return citation.source, citation.document_id


def _change(change: DocumentChange) -> dict[str, Any]:
    after = change.after or change.before
    return {
        "change": change.change,
        "title": "" if after is None else after.title,
        "sides": [
            {"word": word, "cited": line_of(side), "open": address_of_citation(side), "title": side.title}
            for word, side in (("before", change.before), ("after", change.after))
            if side is not None
        ],
        "places": [{"before": place_side(each.before), "after": place_side(each.after)} for each in change.places],
        "more_places": change.more_places,
    }
