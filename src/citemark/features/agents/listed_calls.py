"""What the page and the command show of the calls that are kept."""

from collections.abc import Sequence
from typing import Any

from citemark.features.agents.agent_call import CitedPlace, KeptCall
from citemark.features.agents.kept_calls import KeptCalls
from citemark.features.agents.same_search import left_behind, same_search
from citemark.model.citation import iso
from citemark.web.page_addresses import address_of_document

PAGE = 50
"""Calls that are listed at a time."""


async def listed_calls(service: KeptCalls, limit: int, before: int | None = None) -> dict[str, Any]:
    """The last calls as data, the latest first, and the number to go on from; None if there are no more."""
    calls = await service.latest(limit + 1, before)
    return {
        "on": service.on,
        "days": service.days,
        "calls": [_data(kept) for kept in calls[:limit]],
        "next": calls[limit - 1].number if len(calls) > limit else None,
    }


def nothing_kept(days: int, *, on: bool) -> str:
    """Why there is nothing to list, and what to do."""
    if on:
        return f"No agent asked anything in the last {_days(days)}."
    return (
        "What agents ask is not kept. To keep it, set agent_calls to true in citemark.toml, or CITEMARK_AGENT_CALLS=1 "
        "for the server, and start it again."
    )


def _days(days: int) -> str:
    return "day" if days == 1 else f"{days} days"


def _data(kept: KeptCall) -> dict[str, Any]:
    call = kept.call
    return {
        "number": kept.number,
        "asked_at": iso(kept.asked_at.replace(microsecond=0)),
        "principal": call.principal,
        "tool": call.tool,
        "question": call.question,
        "phrasings": list(call.phrasings),
        "limits": dict(call.limits),
        "outcome": call.outcome,
        "hits": call.hits,
        "bytes": call.size,
        "seconds": round(call.seconds, 3),
        "withheld": call.withheld,
        "notes": list(call.notes),
        "cited": _cited(call.cited),
        "now": same_search(kept, then=False),
        "then": same_search(kept, then=True),
        "left_behind": left_behind(call),
    }


def _cited(places: Sequence[CitedPlace]) -> list[dict[str, Any]]:
    return [
        {
            "source": place.source,
            "document_id": place.document_id,
            "revision_id": place.revision_id,
            "open": address_of_document(place.source, place.document_id, str(place.revision_id)),
        }
        for place in places
    ]
