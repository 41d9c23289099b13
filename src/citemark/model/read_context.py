"""Which state of the index a question reads."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ReadContext:
    """A request for a state: at most one of the two; neither means HEAD."""

    baseline_id: str | None = None
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class ResolvedContext:
    """The state that was read. `as_of` (UTC) is never later than the read horizon."""

    as_of: datetime
    baseline_id: str | None = None
