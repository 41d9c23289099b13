"""The instructions for a client's model, sent on connection."""

from collections.abc import Sequence

from citemark.text.escaping import one_line
from citemark.tools.index_contents import NamedSource

_USE = (
    "Citemark answers questions over documents with verbatim, cited evidence. Call kb.retrieve_evidence first, with "
    "the question and, in also, two or three other phrasings: words, and languages, that documents may use; the "
    "sentence that would answer. A guessed value may stand in a phrasing, never in your answer. Where little or "
    "nothing comes back, ask again with the documents' own terms; empty_message says what could not be looked at. "
    "Quote what comes back with its citation. Read citemark://playbook for the other tools."
)
_MOST_NAMED = 20
"""Maximum number of sources named; hosts put these words before every conversation."""

_LONGEST_NAME = 60
"""Maximum characters of a source's name. People choose the names; longer ones are cut."""

_MOST_LANGUAGES = 3
"""Maximum number of languages named per source; the rest are summed up as "others"."""


def instructions_for(sources: Sequence[NamedSource] | None) -> str:
    """The instructions, in which tool names are spelled with dots.

    Args:
        sources: the caller's sources; None if they are not known (yet) or must not be named.
    """
    if sources is None:
        return _USE
    if not sources:
        return f"{_USE} There are no sources yet: `citemark add FOLDER` adds one."
    named = "; ".join(_source_text(source) for source in sources[:_MOST_NAMED])
    more = len(sources) - _MOST_NAMED
    rest = f"; and {more} more" if more > 0 else ""
    return f"{_USE} Sources: {named}{rest}. kb.list_sources says what is in them. Ask in the language of the documents."


def _source_text(source: NamedSource) -> str:
    name = one_line(source.name)
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    languages = [language.capitalize() for language in source.languages[:_MOST_LANGUAGES]]
    if len(source.languages) > _MOST_LANGUAGES:
        languages.append("others")
    return f"{name} ({source.kind}{', in ' if languages else ''}{', '.join(languages)})"
