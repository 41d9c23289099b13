"""The graph over everything that is indexed: its nodes, its edges, and what they are called.

Nodes are documents, sections, elements and views of models, folders, and entities: things that documents mention and
that sources share. Edges are relationships that a document states, or that can be read from its text without a language
model.
"""

from enum import StrEnum
from typing import NamedTuple

CONTAINS = "contains"
LINKS_TO = "links_to"
REFERENCES = "references"
SHOWS = "shows"
IN_FOLDER = "in_folder"
HAS_LABEL = "has_label"
NAMED = "named"
DEFINES = "defines"
USES_CODE = "uses_code"
MENTIONS = "mentions"

PLAIN = "plain"
"""The metadata key of a mention by a plain word, which counts only if few documents of the source use the word so."""

FORM = "form"
"""The metadata key of a further name of a page, as the page writes it; the first name is written as its title."""

SUCCEEDS = "succeeds"
"""Leads from a document to its previous name; it is not an edge of the graph."""


class EntityKind(StrEnum):
    """What an entity is: a term (a name in words), a name in code, a label, a person or an external address."""

    TERM = "term"
    CODE = "code"
    LABEL = "label"
    PERSON = "person"
    URL = "url"


FOLDER = "folder"
"""The kind of a node that represents a folder of a source; its name is the folder's path."""


class Entity(NamedTuple):
    """An entity, identified by its kind and name; it is the same in every source."""

    kind: EntityKind
    name: str

    def __str__(self) -> str:
        """The id of its node."""
        return f":{self.kind}:{self.name}"


_MAILTO = "mailto:"


def entity_of_address(url: str) -> Entity:
    """The entity that represents an address outside every source."""
    if url.startswith(_MAILTO):
        return Entity(EntityKind.PERSON, url.removeprefix(_MAILTO))
    return Entity(EntityKind.URL, url)


_MOST_NAME = 120
"""The most characters of a name: a longer heading is a sentence, which nobody repeats as a name."""


def name_of(words: str) -> str:
    """A title or heading without surrounding punctuation and markup; its case is kept."""
    return " ".join(words.split()).strip(" .:;,!?*_`\"'")


class KnownName(NamedTuple):
    """A case-folded name, the forms in which documents write it, and the sources of these documents."""

    name: str
    forms: frozenset[str]
    source_ids: frozenset[int]


def term_of(words: str) -> Entity | None:
    """The term for a name in words, regardless of case and blanks; None if they are empty or too long for a name."""
    name = name_of(words).casefold()
    return Entity(EntityKind.TERM, name) if 0 < len(name) <= _MOST_NAME else None
