"""The instructions for a client's model, sent on connection."""

from collections.abc import Sequence

from citemark.evidence.budget import bytes_len
from citemark.text.escaping import one_line
from citemark.tools.index_contents import NamedSource

_MOST_BYTES = 600
"""What the instructions weigh at most: hosts put them before every conversation."""

_USE = (
    "Verbatim, cited evidence from indexed documents. Call kb.retrieve_evidence first, with the question and, in also, "
    "two or three phrasings in the words and languages of the documents; a guessed value may stand in one, never in "
    "your answer. If little comes back, ask again in the documents' own terms; empty_message says what could not be "
    "looked at. Quote with the citations. citemark://playbook explains the other tools."
)
_LONGEST_NAME = 60
"""Maximum characters of a source's name. People choose the names; longer ones are cut."""

_MOST_LANGUAGES = 3
"""Maximum number of languages named per source; the rest are summed up as "others"."""


def instructions_for(sources: Sequence[NamedSource] | None) -> str:
    """The instructions, in which tool names are spelled with dots; they name as many sources as they have room for.

    Args:
        sources: the caller's sources; None if they are not known (yet) or must not be named.
    """
    if sources is None:
        return _USE
    if not sources:
        return f"{_USE} There are no sources yet: `citemark add FOLDER` adds one."
    texts = [_source_text(source) for source in sources]
    fitting = (_naming(texts, number) for number in range(len(texts), 0, -1))
    return next((named for named in fitting if bytes_len(named) <= _MOST_BYTES), _naming(texts, 0))


def _naming(texts: Sequence[str], number: int) -> str:
    """The instructions with the first `number` sources, and how many there are besides."""
    rest = len(texts) - number
    named = [
        *texts[:number],
        *([f"{'and ' if number else ''}{rest} {'more' if number else 'of them'}"] if rest else []),
    ]
    return f"{_USE} Sources: {'; '.join(named)}. kb.list_sources tells more."


def _source_text(source: NamedSource) -> str:
    name = one_line(source.name)
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    languages = [language.capitalize() for language in source.languages[:_MOST_LANGUAGES]]
    if len(source.languages) > _MOST_LANGUAGES:
        languages.append("others")
    return f"{name} ({source.kind}{', in ' if languages else ''}{', '.join(languages)})"
