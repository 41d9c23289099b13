"""A source as the index knows it."""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from citemark.model.completeness import Reading, SourceReading
from citemark.model.ids import SourceId
from citemark.model.source_labels import UNLABELLED, SourceLabels

MOST_CONFIGURATIONS = 8
"""The most languages in which a question is read; documents in other languages are found only by their vectors."""


@dataclass(frozen=True, slots=True)
class NewSource:
    """A source to be added, as `citemark add` describes it."""

    name: str
    kind: str
    config: Mapping[str, Any]
    tenant: str = "local"
    labels: SourceLabels = UNLABELLED
    language: str = "english"
    keep_history: bool = True
    detects_language: bool = True


@dataclass(frozen=True, slots=True)
class Source:
    """One configured connection: a docs tree, an ArchiMate model, one person's Nextcloud account.

    `language` is that of documents whose words do not reveal it, or of all documents if `detects_language` is off.
    `former_names` are the source's previous names, oldest first. A `paused` source is found as before, and nothing of
    it is listed or read until it goes on.
    """

    source_id: SourceId
    tenant: str
    name: str
    kind: str
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    labels: SourceLabels = UNLABELLED
    language: str = "english"
    detects_language: bool = True
    former_names: tuple[str, ...] = ()
    paused: bool = False

    def renamed(self, name: str) -> "Source":
        """The source under another name; citations with an old name still refer to it."""
        former = dict.fromkeys((*self.former_names, self.name))
        return replace(self, name=name, former_names=tuple(old for old in former if old != name))

    @property
    def followed(self) -> bool:
        """Whether anything is read from the source at all; an account can be switched off."""
        return self.config.get("sync") is not False

    @property
    def kept_current(self) -> bool:
        """Whether the source is listed and read again: it is neither switched off nor paused."""
        return self.followed and not self.paused

    @property
    def doc_tag(self) -> str:
        """The one tag that hits show: the source's first tag, or its name if it has no tags."""
        return self.labels.tags[0] if self.labels.tags else self.name


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The part of one source that was read with one text search configuration, that is, in one language.

    `seed` is the seed with which the ids of its terms are hashed.
    """

    source_id: SourceId
    configuration: str
    seed: int
    chunks: int
    sum_length: int


@dataclass(frozen=True, slots=True)
class Began:
    """How far the index was when a question to HEAD began.

    Attributes:
        at: the read horizon. What was recorded up to it stands in everything that is read afterwards; documents
            recorded since are looked for by this moment, because no list of words that the question knows has them.
        ended: how many notes of ended chunks this process had made. Later ones may be ahead of what the question reads.
    """

    at: datetime
    ended: int


@dataclass(frozen=True, slots=True)
class AllowedSources:
    """The sources that one question may read, and the size of their content in the state that is read.

    `by_owner` means that the question comes from the owner of the machine, who may see file paths on it. `read_at` is
    the recorded moment whose state is read, or None for HEAD. `readings` say how far each source was read at present,
    which also limits what may be said about a past state: what waits now may have been recorded late. `switched_off`
    are the accounts of which nothing is read, because their sync is off; `readings` tell of them too. `began` is None
    where no document can be replaced meanwhile, or where that does not matter.
    """

    sources: tuple[Source, ...]
    chunks: int
    sum_length: int
    lexicons: tuple[Lexicon, ...] = ()
    by_owner: bool = True
    read_at: datetime | None = None
    readings: tuple[SourceReading, ...] = ()
    switched_off: tuple[Source, ...] = ()
    began: Began | None = None

    def changing(self, source_ids: AbstractSet[int]) -> "AllowedSources":
        """The same, saying that a document of each of these sources has changed."""
        readings = (
            replace(each, changed=each.changed + 1) if each.source_id in source_ids else each for each in self.readings
        )
        return replace(self, readings=tuple(readings))

    @property
    def reading(self) -> Reading:
        """How far all of the sources were read."""
        return Reading(self.readings)

    def among(self, source_ids: AbstractSet[int]) -> "AllowedSources":
        """Only the sources with these ids, with their sizes."""
        lexicons = tuple(lexicon for lexicon in self.lexicons if lexicon.source_id in source_ids)
        return replace(
            self,
            sources=tuple(source for source in self.sources if source.source_id in source_ids),
            chunks=sum(lexicon.chunks for lexicon in lexicons),
            sum_length=sum(lexicon.sum_length for lexicon in lexicons),
            lexicons=lexicons,
            readings=tuple(each for each in self.readings if each.source_id in source_ids),
        )

    @property
    def ids(self) -> list[int]:
        """The source ids, ascending."""
        return [source.source_id for source in self.sources]

    @property
    def asked(self) -> tuple[Lexicon, ...]:
        """The lexicons in which a question is looked up: those of the configurations with the most chunks."""
        if len({lexicon.configuration for lexicon in self.lexicons}) <= MOST_CONFIGURATIONS:
            return self.lexicons
        sizes: Counter[str] = Counter()
        for lexicon in self.lexicons:
            sizes[lexicon.configuration] += lexicon.chunks
        chosen = {name for name, _ in sorted(sizes.items(), key=lambda size: (-size[1], size[0]))[:MOST_CONFIGURATIONS]}
        return tuple(lexicon for lexicon in self.lexicons if lexicon.configuration in chosen)

    def named(self, name: str) -> Source | None:
        """The source that has this name now or, as in an old citation, had it before; None if it is not allowed."""
        current = (source for source in self.sources if source.name == name)
        former = (source for source in self.sources if name in source.former_names)
        return next(current, None) or next(former, None)

    def source(self, source_id: int) -> Source | None:
        """The source with that id, or None if it is not allowed."""
        return next((source for source in self.sources if source.source_id == source_id), None)
