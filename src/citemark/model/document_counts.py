"""How many documents there are of each value that a search can be limited to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Facet = Literal["source", "tag", "kind", "language", "label", "year"]
"""What documents are counted by: their source, its tags, their type, language, labels, or the year they changed."""


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """The documents of each value of each facet, most first; years latest first.

    Each facet counts what passes all other limits of the call, so that a count says what choosing its value leaves.
    """

    by: Mapping[Facet, Mapping[str, int]] = field(default_factory=dict[Facet, Mapping[str, int]])

    def of(self, facet: Facet) -> Mapping[str, int]:
        """The counts of a facet by value."""
        return self.by.get(facet, {})
