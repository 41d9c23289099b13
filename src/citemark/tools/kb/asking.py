"""The arguments that the tools of the family share."""

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from citemark.model.scope import Filters, ReadContext, RequestScope
from citemark.tools.schema import Strict
from citemark.tools.values import Moment, Name, Within

_MANY = 64


def _a_few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > _MANY:
        raise PydanticCustomError("too_many", "must have at most {high} entries", {"high": _MANY})
    return names


Names = Annotated[tuple[Name, ...], AfterValidator(_a_few)]
Few = Annotated[int, Within(1, 20)]


class ScopeIn(Strict):
    """The limits of a question."""

    project_id: Name | None = None
    environment: Name | None = None
    doc_tags: Names = ()
    repositories: Names = ()

    def value(self) -> RequestScope:
        """The same in the words of the house."""
        return RequestScope(self.project_id, self.environment, self.doc_tags, self.repositories)


class ReadContextIn(Strict):
    """Which state to read; neither key means now."""

    baseline_id: Name | None = None
    as_of: Moment | None = None

    @model_validator(mode="after")
    def _one_at_most(self) -> "ReadContextIn":
        if self.baseline_id is not None and self.as_of is not None:
            raise PydanticCustomError("one_state", "takes at most one of baseline_id and as_of")
        return self

    def value(self) -> ReadContext:
        """The same in the words of the house."""
        return ReadContext(self.baseline_id, self.as_of)


class FiltersIn(Strict):
    """Conditions that every hit meets."""

    doc_tag: Names = ()
    path_prefix: Annotated[Name | None, Field(description="As document_id begins: guides/.")] = None
    updated_after: Moment | None = None

    def value(self) -> Filters:
        """The same in the words of the house."""
        # Paths are stored from the source's folder on, without what many write before them.
        prefixes = () if self.path_prefix is None else (self.path_prefix.removeprefix("./").lstrip("/"),)
        return Filters(doc_tags=self.doc_tag, path_prefixes=prefixes, updated_after=self.updated_after)


State = SkipJsonSchema[ReadContextIn]
"""Accepted and not listed until the past can be asked."""

Filter = Annotated[FiltersIn, Field(description="Values are alternatives.")]
