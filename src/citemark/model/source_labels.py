"""What a person says of a source as a whole: where it belongs, and which tags it has."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class SourceLabels:
    """The labels of a source: one value on the whole way from an option of a command to the columns of its table.

    Each field is named as its column is.
    """

    tags: tuple[str, ...] = ()
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None

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

    def of(self, labels: SourceLabels) -> SourceLabels:
        """The changed labels."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(
            labels, **{name: value or getattr(UNLABELLED, name) for name, value in given.items() if value is not None}
        )


NO_CHANGE = LabelChange()
