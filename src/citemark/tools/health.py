"""Whether a server can answer calls yet."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the index behind a server. `reason` says why it is unavailable, where that is known."""

    status: Literal["ready", "opening", "unavailable"]
    reason: str | None = None
