"""The labels of a source as options of the commands that add or change one."""

from dataclasses import dataclass
from typing import Annotated

import typer

from citemark.model.errors import InvalidArgument
from citemark.model.source_labels import LabelChange, SourceLabels, note_of


def _note(typed: str | None) -> str | None:
    """A typed note as it is kept.

    Raises:
        typer.BadParameter: it is too long.
    """
    try:
        return None if typed is None else note_of(typed)
    except InvalidArgument as error:
        raise typer.BadParameter(error.message) from None


_Project = Annotated[str | None, typer.Option(help="Project that the source belongs to.")]
_Environment = Annotated[str | None, typer.Option(help="Environment that the source describes.")]
_Repository = Annotated[str | None, typer.Option(help="Repository that the source comes from.")]
_About = Annotated[
    str | None,
    typer.Option(callback=_note, help="Note for models about the source: what is in it, and when to ask it."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLabelOptions:
    """The labels of what is in no repository, such as a person's account."""

    tag: Annotated[list[str] | None, typer.Option(help="Tag of the source (repeatable).")] = None
    project: _Project = None
    environment: _Environment = None
    about: _About = None

    @property
    def labels(self) -> SourceLabels:
        """The labels of the new source."""
        return SourceLabels(tuple(self.tag or ()), self.project, self.environment, about=self.about or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions(OwnLabelOptions):
    """The labels of a new source."""

    repository: _Repository = None

    @property
    def labels(self) -> SourceLabels:
        """The labels of the new source."""
        tags = tuple(self.tag or ())
        return SourceLabels(tags, self.project, self.environment, self.repository, self.about or None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedLabelOptions:
    """New labels of a source."""

    tag: Annotated[
        list[str] | None, typer.Option(help="Tag of the source (repeatable); replaces those set before.")
    ] = None
    project: _Project = None
    environment: _Environment = None
    repository: _Repository = None
    about: _About = None

    @property
    def change(self) -> LabelChange:
        """What is to change; an empty value removes a label."""
        tags = None if not self.tag else tuple(tag for tag in self.tag if tag)
        return LabelChange(tags, self.project, self.environment, self.repository, self.about)
