"""The states that people ask for: HEAD, a moment, or one that has a name."""

from datetime import UTC, datetime

from citemark.model.citation import iso
from citemark.model.errors import InvalidArgument
from citemark.model.scope import ReadContext, ResolvedContext

HEAD = "HEAD"
"""The name of the present state in comparisons."""


def moment_of(text: str) -> datetime | None:
    """The moment that a text gives in ISO 8601, as it is written; None for any other text."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def selected(name: str) -> ReadContext:
    """The state that a name means: HEAD, a moment in ISO 8601, or otherwise a baseline.

    Raises:
        InvalidArgument: it is a moment outside the years 1 to 9999.
    """
    name = name.strip()
    if name.upper() == HEAD:
        return ReadContext()
    if moment_of(name) is None:
        return ReadContext(baseline_id=name)
    return ReadContext(as_of=parse_moment(name))


def state_asked(as_of: str | None, baseline: str | None) -> ReadContext:
    """The state that two options of a command name.

    Raises:
        InvalidArgument: both are given, or the moment cannot be read.
    """
    if as_of is not None and baseline is not None:
        raise InvalidArgument("Give --as-of or --baseline, not both: each names a state.")
    return ReadContext(baseline, None if as_of is None else parse_moment(as_of))


def parse_moment(text: str) -> datetime:
    """The moment that a text gives in ISO 8601, in UTC if it names no offset.

    Raises:
        InvalidArgument: it is not a moment, or lies outside the years 1 to 9999.
    """
    moment = moment_of(text.strip())
    if moment is None:
        raise InvalidArgument(f"{text[:80]!r} is not a date and time in ISO 8601, such as 2026-01-31T12:00:00Z.")
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidArgument(f"{text[:80]} is not a moment between the years 1 and 9999.") from None


def state_named(context: ResolvedContext) -> str:
    """A state in words."""
    moment = iso(context.as_of.replace(microsecond=0))
    if context.baseline_id:
        return f"baseline {context.baseline_id} ({moment})"
    return f"HEAD ({moment})" if context.head else moment
