"""The address of the page on which a person asks what an agent asked."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast
from urllib.parse import urlencode

from citemark.features.agents.agent_call import AgentCall, KeptCall
from citemark.model.citation import iso

_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "doc_tags": "tag",
        "doc_tag": "tag",
        "path_prefix": "path",
        "path_prefixes": "path",
        "doc_types": "kind",
        "labels": "label",
        "as_of": "as_of",
    }
)
"""The limits of a call that the page has a field for, each of which takes one value."""

_AMOUNTS = frozenset(
    {"cursor", "limit", "min_score", "page_size", "score_threshold", "session_id", "synthesis", "top_k"}
)
_AMOUNTS_BEGIN = ("include_", "max_")
"""Arguments that say how much comes back and how, not what is searched."""


def same_search(kept: KeptCall, *, then: bool) -> str:
    """The address that asks the same question under the same limits, now or in the state of when it was asked."""
    call = kept.call
    given = {"q": call.question, "also": "\n".join(call.phrasings)}
    given |= {_FIELDS[name]: value for name, value in _carried(call).items()}
    if then:
        given.setdefault("as_of", iso(kept.asked_at))
    return "/search?" + urlencode({name: value for name, value in given.items() if value})


def left_behind(call: AgentCall) -> list[str]:
    """The limits of a call that the page has no field for, so that its search may find other things than the call."""
    carried = _carried(call)
    return [
        f"{name}: {', '.join(values_of(value))}"
        for name, value in call.limits.items()
        if name not in carried and name not in _AMOUNTS and not name.startswith(_AMOUNTS_BEGIN)
    ]


def _carried(call: AgentCall) -> Mapping[str, str]:
    """The limits that an address holds, by the names of the arguments: one for each of its fields."""
    carried: dict[str, str] = {}
    for name, value in call.limits.items():
        taken = {_FIELDS[each] for each in carried}
        if name in _FIELDS and _FIELDS[name] not in taken and len(values := values_of(value)) == 1:
            carried[name] = values[0]
    return carried


def values_of(value: object) -> list[str]:
    """The values of a limit as texts."""
    return [str(each) for each in cast("list[object]", value)] if isinstance(value, list) else [str(value)]
