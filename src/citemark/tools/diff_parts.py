"""Shared by the tools that compare two states: arguments, and the places that differ as data and as text."""

from typing import Annotated

from pydantic import Field

from citemark.results.shape import Strict
from citemark.services.requests import DiffRequest
from citemark.tools.schemas_in import (
    Name,
    Scope,
    ScopeIn,
    Within,
)


class DiffIn(Strict):
    """Two states. Callers write `from` and `to`; the former is a keyword of Python."""

    before: Annotated[Name, Field(validation_alias="from", description="A baseline, ISO 8601 time, or HEAD (now).")]
    after: Annotated[Name, Field(validation_alias="to")] = "HEAD"
    scope: Scope = Field(default_factory=ScopeIn)
    cursor: Name | None = None
    page_size: Annotated[int, Within(1, 100)] = 25

    def request(self) -> DiffRequest:
        """The request of this page."""
        return DiffRequest(
            before=self.before,
            after=self.after,
            scope=self.scope.value(),
            page_size=self.page_size,
            cursor=self.cursor,
        )
