"""A source as the index knows it."""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from citemark.model.ids import SourceId

MOST_CONFIGURATIONS = 8
"""In how many languages a question is read at most; documents in others are found by their vectors alone."""


@dataclass(frozen=True, slots=True)
class NewSource:
    """What `citemark add` asks for."""

    name: str
    kind: str
    config: Mapping[str, Any]
    tenant: str = "local"
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None
    tags: tuple[str, ...] = ()
    language: str = "english"
    keep_history: bool = True
    detects_language: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """One configured connection: a docs tree, an ArchiMate model, one person's Nextcloud account.

    `language` is that of documents whose words do not tell it; of all, where `detects_language` is off. `former_names`
    are what it was called before, the oldest first.
    """

    source_id: SourceId
    tenant: str
    name: str
    kind: str
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None
    tags: tuple[str, ...] = ()
    language: str = "english"
    keep_history: bool = True
    detects_language: bool = True
    former_names: tuple[str, ...] = ()

    def renamed(self, name: str) -> "Source":
        """The source under another name; citations that say an old one still mean it."""
        former = dict.fromkeys((*self.former_names, self.name))
        return replace(self, name=name, former_names=tuple(old for old in former if old != name))

    @property
    def followed(self) -> bool:
        """Whether the source is kept in step: an account can be switched off."""
        return self.config.get("sync") is not False

    @property
    def doc_tag(self) -> str:
        """The one tag that hits show: the source's first, or its name."""
        return self.tags[0] if self.tags else self.name


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What one source holds as one text search configuration read it: a language of the source.

    `seed` is what the ids of its terms are hashed with.
    """

    source_id: SourceId
    configuration: str
    seed: int
    chunks: int
    sum_length: int


@dataclass(frozen=True, slots=True)
class AllowedSources:
    """The sources that one question may touch, and the size of what they hold in the state that is read of them.

    `by_owner`: the person whose machine it is asks, and may be told places on it. `read_at`: the moment on record whose
    state that is; None at HEAD.
    """

    sources: tuple[Source, ...]
    chunks: int
    sum_length: int
    lexicons: tuple[Lexicon, ...] = ()
    by_owner: bool = True
    read_at: datetime | None = None

    def among(self, source_ids: AbstractSet[int]) -> "AllowedSources":
        """Those of the sources that are named, with their sizes."""
        lexicons = tuple(lexicon for lexicon in self.lexicons if lexicon.source_id in source_ids)
        return replace(
            self,
            sources=tuple(source for source in self.sources if source.source_id in source_ids),
            chunks=sum(lexicon.chunks for lexicon in lexicons),
            sum_length=sum(lexicon.sum_length for lexicon in lexicons),
            lexicons=lexicons,
        )

    @property
    def ids(self) -> list[int]:
        """The source ids, ascending."""
        return [source.source_id for source in self.sources]

    @property
    def asked(self) -> tuple[Lexicon, ...]:
        """The lexicons that a question is read for: those of the configurations with the most chunks."""
        if len({lexicon.configuration for lexicon in self.lexicons}) <= MOST_CONFIGURATIONS:
            return self.lexicons
        sizes: Counter[str] = Counter()
        for lexicon in self.lexicons:
            sizes[lexicon.configuration] += lexicon.chunks
        kept = {name for name, _ in sorted(sizes.items(), key=lambda size: (-size[1], size[0]))[:MOST_CONFIGURATIONS]}
        return tuple(lexicon for lexicon in self.lexicons if lexicon.configuration in kept)

    def named(self, name: str) -> Source | None:
        """The source that a citation calls so, today or when it was given; None when it is not allowed."""
        called = (source for source in self.sources if source.name == name)
        was_called = (source for source in self.sources if name in source.former_names)
        return next(called, None) or next(was_called, None)

    def source(self, source_id: int) -> Source | None:
        """The source of that id, None when it is not allowed."""
        return next((source for source in self.sources if source.source_id == source_id), None)
