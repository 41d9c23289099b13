"""The page of what agents asked, for the owner of the index alone."""

from typing import Any
from urllib.parse import urlencode

from citemark.features.agents.kept_calls_key import KEPT_CALLS
from citemark.features.agents.listed_calls import PAGE, listed_calls, nothing_kept
from citemark.web.asked import Asked
from citemark.web.begun_work import Work
from citemark.web.rendering import Page


async def agents(asked: Asked) -> Page:
    """The calls of the last days that asked something in words, each with the search that asks the same."""
    if not asked.is_owner:
        return Page("agents", {"owner": False})
    service = (await asked.index.services()).get(KEPT_CALLS)
    listed: dict[str, Any] = await listed_calls(service, PAGE, asked.whole("before"))
    more = "" if listed["next"] is None else "/agents?" + urlencode({"before": listed["next"]})
    empty = "" if listed["calls"] else nothing_kept(service.days, on=service.on)
    return Page("agents", {"owner": True, **listed, "more": more, "empty": empty})


async def forget_calls(asked: Asked, _: Work) -> str:
    """Delete all that is kept of what agents asked; where to go next."""
    await (await asked.index.services()).get(KEPT_CALLS).forget_all()
    return "/agents"
