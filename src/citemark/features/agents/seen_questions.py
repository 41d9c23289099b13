"""What is kept of a call, read from the arguments and the result that went over the wire."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from citemark.features.agents.agent_call import AgentCall, CitedPlace
from citemark.results.cited_files import CITED
from citemark.services.requests import MAX_PHRASING_CHARS, MAX_PHRASINGS, MAX_QUESTION_CHARS
from citemark.tools.seen_calls import SeenCall

_QUESTIONS = ("question", "query")
_PHRASINGS = "also"
_LISTS = ("results", "quotes", "sources")
"""Where results list what was found."""

_NESTED = frozenset({"scope", "filters", "read_context"})
_MOST_CITED = 50
"""Documents: as many as the longest page of any tool holds."""

_MOST_LIMITS = 64
_MOST_CHARS = 1000
"""Of a limit or a note: longer ones are mistakes, and each agent may send many."""

_MOST_NOTES = 20


def asked_in(seen: SeenCall) -> AgentCall | None:
    """What an agent asked in a call; None if it asked nothing in words."""
    arguments = {name: _unpacked(value) for name, value in seen.arguments.items()}
    question = next((text for name in _QUESTIONS if (text := _text(seen.arguments.get(name), MAX_QUESTION_CHARS))), "")
    if not question:
        return None
    content = seen.content
    also = arguments.get(_PHRASINGS)
    phrasings = _texts([also] if isinstance(also, str) else also, MAX_PHRASINGS, MAX_PHRASING_CHARS)
    notes = (content.get("empty_message"), *_entries(content.get("notes")), _message(content))
    return AgentCall(
        principal=seen.principal,
        tool=seen.tool,
        question=question,
        phrasings=phrasings,
        limits=_limits(arguments),
        outcome=seen.outcome,
        hits=next((len(found) for name in _LISTS if (found := _entries(content.get(name)))), 0),
        cited=tuple(dict.fromkeys(_cited(content)))[:_MOST_CITED],
        size=seen.size,
        seconds=seen.seconds,
        withheld=seen.withheld,
        notes=_texts(notes, _MOST_NOTES, _MOST_CHARS),
    )


def _limits(arguments: Mapping[str, Any]) -> Mapping[str, object]:
    """The arguments besides the question, flat, as what JSON has; objects that no tool takes are left out."""
    flat = {name: value for name, value in arguments.items() if name not in (*_QUESTIONS, _PHRASINGS, *_NESTED)}
    for name in _NESTED:
        if isinstance(nested := arguments.get(name), Mapping):
            flat.update({name: _unpacked(value) for name, value in cast("Mapping[str, Any]", nested).items()})
    kept = {_text(name, _MOST_CHARS): _plain(value) for name, value in list(flat.items())[:_MOST_LIMITS]}
    return {name: value for name, value in kept.items() if value not in (None, "", ())}


def _unpacked(value: object) -> object:
    """A list or an object that a client sent as the text of its JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        try:
            return cast("object", json.loads(value))
        except (ValueError, RecursionError):
            return value
    return value


def _plain(value: object) -> object:
    match value:
        case bool() | int() | float():
            return value
        case list() | tuple():
            return list(_texts(cast("Sequence[object]", value), _MOST_LIMITS, _MOST_CHARS)) or None
        case _:
            return _text(value, _MOST_CHARS)


def _message(content: Mapping[str, Any]) -> object:
    """The message of a failure."""
    error = content.get("error")
    return cast("Mapping[str, Any]", error).get("message") if isinstance(error, Mapping) else None


def _cited(node: object) -> Iterator[CitedPlace]:
    """The documents of every citation in a result."""
    if isinstance(node, list):
        for entry in cast("list[object]", node):
            yield from _cited(entry)
    elif isinstance(node, Mapping):
        whole = cast("Mapping[str, Any]", node)
        if whole.keys() >= CITED:
            yield CitedPlace(str(whole["source"]), str(whole["document_id"]), int(whole["revision_id"]))
        for value in whole.values():
            yield from _cited(value)


def _entries(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()


def _texts(value: object, most: int, chars: int) -> tuple[str, ...]:
    texts = (_text(entry, chars) for entry in _entries(value))
    return tuple(text for text in texts if text)[:most]


def _text(value: object, chars: int) -> str:
    """A text as the database can hold it, not longer than `chars`; "" for what is none."""
    if not isinstance(value, str):
        return ""
    return value[:chars].replace("\0", "").encode("utf-8", "replace").decode("utf-8").strip()
