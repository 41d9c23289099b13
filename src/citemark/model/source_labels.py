"""What a person says of a source as a whole: where it belongs, which tags it has, and what models should know of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from citemark.model.errors import InvalidArgument

LONGEST_NOTE = 300
"""Characters of a note about a source: two sentences. Every client's model reads it, whatever it is asked."""


@dataclass(frozen=True, slots=True)
class SourceLabels:
    """The labels of a source: one value on the whole way from an option of a command to the columns of its table.

    Each field is named as its column is. `about` is a note for models, on one line.
    """

    tags: tuple[str, ...] = ()
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None
    about: str | None = None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The name of each label."""
        return tuple(each.name for each in fields(cls))

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> "SourceLabels":
        """The labels in a row that has a column for each of them, among others."""
        columns: dict[str, Any] = {name: row[name] for name in cls.names()}
        columns["tags"] = tuple(row["tags"])
        return cls(**columns)

    def data(self) -> dict[str, Any]:
        """The labels by their names, as JSON and the parameters of statements take them."""
        return asdict(self) | {"tags": list(self.tags)}

    def first(self, most_tags: int | None) -> "SourceLabels":
        """These labels with at most that many tags; None for all of them."""
        return replace(self, tags=self.tags[:most_tags])

    def or_else(self, others: "SourceLabels") -> "SourceLabels":
        """These labels, with those of `others` where one is not set."""
        return SourceLabels(**{name: getattr(self, name) or getattr(others, name) for name in self.names()})


UNLABELLED = SourceLabels()


@dataclass(frozen=True, slots=True)
class LabelChange:
    """New values for some labels of a source: None leaves a label as it is, an empty value removes it."""

    tags: tuple[str, ...] | None = None
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None
    about: str | None = None

    def of(self, labels: SourceLabels) -> SourceLabels:
        """The changed labels."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(
            labels, **{name: value or getattr(UNLABELLED, name) for name, value in given.items() if value is not None}
        )


NO_CHANGE = LabelChange()


def note_of(text: str) -> str:
    """A note about a source as it is kept: on one line, without spaces around it; "" for none.

    Raises:
        InvalidArgument: it has more characters than a note may have.
    """
    note = " ".join(text.split())
    if len(note) > LONGEST_NOTE:
        raise InvalidArgument(
            f"A note about a source has at most {LONGEST_NOTE} characters, and this one has {len(note):,}; shorten it."
        )
    return note
