"""What a server tells its clients of itself when they connect: how to use it, and which sources there are."""

from collections.abc import Sequence
from dataclasses import dataclass

from citemark.model.escaping import one_line

_USE = (
    "Citemark answers questions over documents with verbatim, cited evidence. Call kb.retrieve_evidence first; read "
    "citemark://playbook for the other tools. Quote what comes back with its citation; when nothing comes back, say "
    "why: empty_message tells whether the documents do not answer or could not all be looked at."
)
_MOST_NAMED = 20
"""Sources that are named; hosts put these words before every conversation."""

_LONGEST_NAME = 60
_MOST_LANGUAGES = 3


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source as clients are told of it; `languages` are those of its documents, most first."""

    name: str
    kind: str
    languages: tuple[str, ...] = ()


def instructions_for(sources: Sequence[NamedSource] | None) -> str:
    """The words, tools spelled with dots; `sources` is None for somebody whose sources are not known yet."""
    if sources is None:
        return _USE
    if not sources:
        return f"{_USE} There is no source yet: `citemark add docs PATH` makes one."
    named = "; ".join(_said(source) for source in sources[:_MOST_NAMED])
    more = len(sources) - _MOST_NAMED
    rest = f"; and {more} more" if more > 0 else ""
    return f"{_USE} Sources: {named}{rest}. kb.list_sources says what is in them. Ask in the language of the documents."


def _said(source: NamedSource) -> str:
    name = one_line(source.name)
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    languages = [language.capitalize() for language in source.languages[:_MOST_LANGUAGES]]
    if len(source.languages) > _MOST_LANGUAGES:
        languages.append("others")
    return f"{name} ({source.kind}{', in ' if languages else ''}{', '.join(languages)})"
