"""The labels of a source as options of the commands that add or change one."""

from dataclasses import dataclass
from typing import Annotated

import typer

from citemark.model.source_labels import LabelChange, SourceLabels

_Project = Annotated[str | None, typer.Option(help="Project that the source belongs to.")]
_Environment = Annotated[str | None, typer.Option(help="Environment that the source describes.")]
_Repository = Annotated[str | None, typer.Option(help="Repository that the source comes from.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLabelOptions:
    """The labels of what is in no repository, such as a person's account."""

    tag: Annotated[list[str] | None, typer.Option(help="Tag of the source (repeatable).")] = None
    project: _Project = None
    environment: _Environment = None

    @property
    def labels(self) -> SourceLabels:
        """The labels of the new source."""
        return SourceLabels(tuple(self.tag or ()), self.project, self.environment)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions(OwnLabelOptions):
    """The labels of a new source."""

    repository: _Repository = None

    @property
    def labels(self) -> SourceLabels:
        """The labels of the new source."""
        return SourceLabels(tuple(self.tag or ()), self.project, self.environment, self.repository)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedLabelOptions:
    """New labels of a source."""

    tag: Annotated[
        list[str] | None, typer.Option(help="Tag of the source (repeatable); replaces those set before.")
    ] = None
    project: _Project = None
    environment: _Environment = None
    repository: _Repository = None

    @property
    def change(self) -> LabelChange:
        """What is to change; an empty value removes a label."""
        tags = None if not self.tag else tuple(tag for tag in self.tag if tag)
        return LabelChange(tags, self.project, self.environment, self.repository)
