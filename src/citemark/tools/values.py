"""Kinds of argument values: what is accepted, and the sentence that says so when it is not."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from citemark.evidence.requests import MAX_QUESTION_CHARS
from citemark.tools.schema import JsonSchema

MAX_QUOTE_CHARS = 4000
MAX_NAME_CHARS = 1024


@dataclass(frozen=True, slots=True)
class Within:
    """A number from `low` to `high`; outside, the whole range is named. A schema says `low` where it is above 1."""

    low: float
    high: float

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        least = {"minimum": self.low} if self.low > 1 else {}
        return {**handler(schema), **least, "maximum": self.high}

    def _check(self, value: float) -> float:
        if not self.low <= value <= self.high:
            raise PydanticCustomError(
                "out_of_range", "must be from {low} to {high}", {"low": self.low, "high": self.high}
            )
        return value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must say something; it is empty or only white space")
    return text


def _named(text: str) -> str:
    """Lengths that the schema need not spell out for every name."""
    if not 0 < len(text) <= MAX_NAME_CHARS:
        raise PydanticCustomError("length", "must have 1 to {high} characters", {"high": MAX_NAME_CHARS})
    return text


def _utc(moment: datetime) -> datetime:
    """`moment` in UTC; without an offset it is taken as UTC."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise PydanticCustomError("out_of_range", "must be from year 1 to 9999") from None


def _written_out(value: Any) -> datetime:
    """Read ISO 8601 only; pydantic would take a number for seconds since 1970."""
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError(
            "moment", "must be a date and time in ISO 8601, such as 2026-01-31T12:00:00Z"
        ) from None


def _day(value: Any) -> date:
    """Read a day in ISO 8601 and nothing else."""
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("day", "must be a day in ISO 8601, such as 2026-01-31") from None


Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS), AfterValidator(_not_blank)]
"""Words to look for."""

Quotation = Annotated[str, Field(min_length=1, max_length=MAX_QUOTE_CHARS), AfterValidator(_not_blank)]
"""Words said to stand in a document."""

Name = Annotated[str, AfterValidator(_named)]
"""A tag, a path or an id."""

Moment = Annotated[datetime, BeforeValidator(_written_out), AfterValidator(_utc)]
"""An instant, in UTC."""

Day = Annotated[date, BeforeValidator(_day)]
"""A day of whatever zone."""

IsoTime = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""An instant as it is shown."""
