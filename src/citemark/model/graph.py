"""The graph over everything that is indexed: its nodes, its edges, and how they are called.

Nodes are documents, sections, elements and views of models, folders, and entities: things that documents speak of and
that sources share. Edges are relationships that a document states, or that its text shows without a model.
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
"""The metadatum of a mention by a plain word, which counts only where few documents of the source use the word so."""

SUCCEEDS = "succeeds"
"""Leads from a document to the name that it had before: no edge of the graph."""


class EntityKind(StrEnum):
    """What an entity is: a term (a name in words), a name in code, a label, a person, an address outside."""

    TERM = "term"
    CODE = "code"
    LABEL = "label"
    PERSON = "person"
    URL = "url"


FOLDER = "folder"
"""The kind of nodes that stand for a folder of a source; their name is its path."""


class Entity(NamedTuple):
    """An entity by its kind and its name, which is the same in every source."""

    kind: EntityKind
    name: str

    def __str__(self) -> str:
        """The id of its node."""
        return f":{self.kind}:{self.name}"


_MAILTO = "mailto:"


def entity_of_address(url: str) -> Entity:
    """The entity that an address outside of every source stands for."""
    if url.startswith(_MAILTO):
        return Entity(EntityKind.PERSON, url.removeprefix(_MAILTO))
    return Entity(EntityKind.URL, url)


_MOST_NAME = 120
"""Characters: a longer heading is a sentence, which nobody repeats as a name."""


def name_of(words: str) -> str:
    """A title or heading without what only sets it apart; its case stays."""
    return " ".join(words.split()).strip(" .:;,!?*_`\"'")


class KnownName(NamedTuple):
    """A name, case folded, how documents write it, and the sources of these documents."""

    name: str
    forms: frozenset[str]
    source_ids: frozenset[int]


def term_of(words: str) -> Entity | None:
    """The term that a name in words stands for: case and blanks make no difference; None where nothing is named."""
    name = name_of(words).casefold()
    return Entity(EntityKind.TERM, name) if 0 < len(name) <= _MOST_NAME else None
