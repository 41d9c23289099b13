"""The instructions for a client's model, sent on connection."""

from collections.abc import Sequence

from citemark.evidence.budget import bytes_len
from citemark.text.escaping import one_line
from citemark.tools.index_contents import NamedSource

_MOST_BYTES = 600
"""What the instructions weigh at most without notes of the owner: hosts put them before every conversation."""

_MOST_NOTES = 730
"""Characters of the lines with the owner's notes, all together: enough for two of the longest."""

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

    What the owner of the index wrote about sources follows, a line for each, as far as there is room for it too.

    Args:
        sources: the caller's sources; None if they are not known (yet) or must not be named.
    """
    if sources is None:
        return _USE
    if not sources:
        return f"{_USE} There are no sources yet: `citemark add FOLDER` adds one."
    texts = [_source_text(source) for source in sources]
    fitting = (_naming(texts, number) for number in range(len(texts), 0, -1))
    naming = next((named for named in fitting if bytes_len(named) <= _MOST_BYTES), _naming(texts, 0))
    return "\n".join([naming, *_notes(sources)])


def _notes(sources: Sequence[NamedSource]) -> list[str]:
    """Lines with what the owner wrote about the sources, and how many of these notes have no room."""
    notes = [f"- {_name(source)}: {one_line(source.about)}" for source in sources if source.about]
    if not notes:
        return []
    shown: list[str] = []
    for note in notes:
        if len("\n".join([*shown, note])) <= _MOST_NOTES:
            shown.append(note)
    rest = len(notes) - len(shown)
    more = [f"{rest} more: kb.list_sources."] if rest else []
    return ["Words of the owner of this index about sources:", *shown, *more]


def _naming(texts: Sequence[str], number: int) -> str:
    """The instructions with the first `number` sources, and how many there are besides."""
    rest = len(texts) - number
    named = [
        *texts[:number],
        *([f"{'and ' if number else ''}{rest} {'more' if number else 'of them'}"] if rest else []),
    ]
    return f"{_USE} Sources: {'; '.join(named)}. kb.list_sources tells more."


def _source_text(source: NamedSource) -> str:
    languages = [language.capitalize() for language in source.languages[:_MOST_LANGUAGES]]
    if len(source.languages) > _MOST_LANGUAGES:
        languages.append("others")
    return f"{_name(source)} ({source.kind}{', in ' if languages else ''}{', '.join(languages)})"


def _name(source: NamedSource) -> str:
    name = one_line(source.name)
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
