"""Argument types that several tools share, each with the error message that says what it accepts."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from citemark.model.scope import Filters, ReadContext, RequestScope
from citemark.results.shape import JsonSchema, Strict
from citemark.services.requests import MAX_PHRASING_CHARS, MAX_PHRASINGS, MAX_QUESTION_CHARS
from citemark.text.hidden import meant_name
from citemark.text.properties import asked_for

MAX_QUOTATION_CHARS = 4000
"""The longest quote that a tool returns (200 tokens of 4 bytes) twice over, plus room for context."""

LAST_CHAR = 2**31 - 1
"""The largest offset: many JSON clients hold offsets as 32-bit integers."""

MAX_NAME_CHARS = 1024
"""Most systems limit paths to 1024 bytes; ids and tags are far shorter."""


@dataclass(frozen=True, slots=True)
class Within:
    """A number from `low` to `high`; for others the error names the range.

    A schema states `low` if it is above 1, and `high` if it is a limit of ours.
    """

    low: float
    high: float

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchema:
        least = {"minimum": self.low} if self.low > 1 else {}
        most = {} if self.high == LAST_CHAR else {"maximum": self.high}
        return {**handler(schema), **least, **most}

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
    """Check the length of a name here, because the schema would repeat the limits for every name.

    A name may come as a result showed it, with hidden characters as their numbers.
    """
    if not 0 < len(text) <= MAX_NAME_CHARS:
        raise PydanticCustomError("length", "must have 1 to {high} characters", {"high": MAX_NAME_CHARS})
    return meant_name(text)


def _utc(moment: datetime) -> datetime:
    """`moment` in UTC; a time without an offset is taken as UTC."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise PydanticCustomError("out_of_range", "must be from year 1 to 9999") from None


def _written_out(value: Any) -> datetime:
    """Read a time in ISO 8601 only; pydantic would also accept a number, as seconds since 1970."""
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError(
            "moment", "must be a date and time in ISO 8601, such as 2026-01-31T12:00:00Z"
        ) from None


def _day(value: Any) -> date:
    """Read a day in ISO 8601 only."""
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise PydanticCustomError("day", "must be a day in ISO 8601, such as 2026-01-31") from None


Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARS), AfterValidator(_not_blank)]
"""The words of a question or search."""


def _phrasings(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Drop blank phrasings and check the lengths here, because the schema would repeat the limits for every tool."""
    phrasings = tuple(text for text in texts if text.strip())
    if len(phrasings) > MAX_PHRASINGS:
        raise PydanticCustomError("too_many", "must have at most {high} entries", {"high": MAX_PHRASINGS})
    if any(len(text) > MAX_PHRASING_CHARS for text in phrasings):
        raise PydanticCustomError("length", "must have at most {high} characters each", {"high": MAX_PHRASING_CHARS})
    return phrasings


Also = Annotated[
    tuple[str, ...],
    AfterValidator(_phrasings),
    Field(description=f"Other wordings, up to {MAX_PHRASINGS}"),
]
"""The question in other words, written by the caller."""

Quotation = Annotated[str, Field(min_length=1, max_length=MAX_QUOTATION_CHARS), AfterValidator(_not_blank)]
"""Words that a caller claims are in a document."""

Name = Annotated[str, AfterValidator(_named)]
"""A tag, a path or an id."""

Moment = Annotated[datetime, BeforeValidator(_written_out), AfterValidator(_utc)]
"""An instant, in UTC."""

Day = Annotated[date, BeforeValidator(_day)]
"""A day, in no particular time zone."""

DateFrom = Day | None
DateTo = Day | None
"""The days between which events take place and tasks are due, both included."""

AccountDocType = Literal["note", "calendar_event", "calendar_todo", "deck_card", "file", "contact"]
AnyDocType = Literal[
    "docs_page", "element", "view", "note", "calendar_event", "calendar_todo", "deck_card", "file", "contact"
]


_MANY = 64
"""Maximum number of names in one filter; longer lists are mistakes, and each name costs the database a comparison."""


def _a_few(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > _MANY:
        raise PydanticCustomError("too_many", "must have at most {high} entries", {"high": _MANY})
    return names


def _pairs(texts: tuple[str, ...]) -> tuple[str, ...]:
    try:
        asked_for(texts)
    except ValueError:
        raise PydanticCustomError("pair", "must be a key and a value, such as status=done") from None
    return texts


Names = Annotated[tuple[Name, ...], AfterValidator(_a_few)]
PropertyPairs = Annotated[Names, AfterValidator(_pairs)]
"""Keys with a value each, such as status=done."""


def listed(value: Any) -> Any:
    """Accept a single name as an array of one name. A text that begins like an array is a broken one, not a name."""
    if isinstance(value, list):
        return tuple(cast("list[Any]", value))
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            raise PydanticCustomError("tuple_type", "must be an array")
        return (value,) if value else ()
    return value


UpToTwenty = Annotated[int, Within(1, 20)]


class ScopeIn(Strict):
    """The limits of a question."""

    project_id: Name | None = None
    environment: Name | None = None
    doc_tags: Names = ()
    repositories: Names = ()

    def value(self) -> RequestScope:
        """Convert to the type that the services take."""
        return RequestScope(**dict(self))


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
        """Convert to the type that the services take."""
        return ReadContext(self.baseline_id, self.as_of)


def in_words(words: str) -> WithJsonSchema:
    """Publish an object by naming its keys: its own schema, at every tool, would take a fifth of the list."""
    return WithJsonSchema({"type": "object", "description": words})


Scope = Annotated[ScopeIn, in_words("project_id, environment, doc_tags[], repositories[]")]
"""The limits of a question, as every tool that asks one takes them."""

ReadAt = Annotated[ReadContextIn, in_words("baseline_id or as_of")]
"""Which state to read, as every tool that asks takes it."""


class FiltersIn(Strict):
    """Conditions that every hit meets."""

    doc_tag: Names = ()
    path_prefix: Name | None = None
    updated_after: Moment | None = None
    properties: PropertyPairs = ()

    def value(self) -> Filters:
        """Convert to the type that the services take."""
        # Stored paths are relative to the source's folder, without the "./" or "/" that many callers put in front.
        prefixes = () if self.path_prefix is None else (self.path_prefix.removeprefix("./").lstrip("/"),)
        return Filters(
            doc_tags=self.doc_tag,
            path_prefixes=prefixes,
            updated_after=self.updated_after,
            properties=asked_for(self.properties),
        )


FilteredBy = Annotated[
    FiltersIn, in_words("doc_tag[], path_prefix (guides/), updated_after, properties[] (status=done)")
]
