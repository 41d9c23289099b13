"""What every result is, and everything that comes in: a shape whose fields are named once for all interfaces."""

from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

from citemark.model.errors import Code


class Strict(BaseModel):
    """The base of everything that comes in or goes out: no unknown fields, no changes."""

    # Validators are built at first use: a server that lists its tools uses none of its results.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


JsonSchema: TypeAlias = dict[str, Any]
"""A JSON Schema, as the dictionary that is published."""


class ErrorBody(Strict):
    """A failure: one of the six codes, what to do about it, and data about the case."""

    code: Code
    message: str
    details: dict[str, Any]
