"""What every result is, and everything that comes in: a shape whose fields are named once for all interfaces."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """The base of everything that comes in or goes out: no unknown fields, no changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    lists_read_context: ClassVar[bool] = True
    """Whether the schema lists `read_context` if there are past states; False if other tools of the group list it."""
