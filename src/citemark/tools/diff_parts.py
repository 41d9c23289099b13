"""Shared by the tools that compare two states: arguments, and the places that differ as data and as text."""

from typing import Annotated

from pydantic import AliasChoices, Field

from citemark.results.shape import Strict
from citemark.services.state_pairs import DiffRequest
from citemark.tools.schemas_in import (
    Name,
    Scope,
    ScopeIn,
    Within,
)


class DiffIn(Strict):
    """Two states, which may be called as the result calls them too."""

    before: Annotated[
        Name,
        Field(validation_alias=AliasChoices("from", "before"), description="A baseline, ISO 8601 time, or HEAD (now)."),
    ]
    after: Annotated[Name, Field(validation_alias=AliasChoices("to", "after"))] = "HEAD"
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
