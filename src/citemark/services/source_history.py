"""How long sources keep what was superseded: the setting in words, and a port that the feature of history fills."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from citemark.model.baselines import HistorySetting
from citemark.model.errors import InvalidArgument
from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # declarations of features name the key before anything of this is loaded
    from citemark.model.baselines import Purged
    from citemark.model.sources import Source

FOREVER, BASELINES, NONE = "forever", "baselines", "none"
"""The history settings other than a number of days."""

_MOST_DAYS = 36_500
"""A century; for anything longer there is `forever`."""


def setting_of(text: str) -> HistorySetting:
    """The setting that a person wrote.

    Raises:
        InvalidArgument: it is not a history setting.
    """
    value = text.strip().lower()
    if value in {FOREVER, BASELINES, NONE}:
        return HistorySetting(value != NONE, None if value == FOREVER else 0)
    if value.isascii() and value.isdigit() and 0 < int(value) <= _MOST_DAYS:
        return HistorySetting(days=int(value))
    raise InvalidArgument(
        f"History is kept for 1 to {_MOST_DAYS} days, or say {FOREVER}, {BASELINES} (what they name) or {NONE}."
    )


def setting_text(setting: HistorySetting) -> str:
    """A setting in words."""
    if not setting.keeps:
        return "keeps none"
    if setting.days is None:
        return "keeps all"
    return f"keeps baselines and {setting.days} days" if setting.days else "keeps what baselines name"


@dataclass(frozen=True, slots=True)
class HeldPast:
    """What goes with a source that is removed: superseded revisions, and its part of baselines, unfinished ones too."""

    revisions: int
    baselines: tuple[str, ...]


class SourceHistory(Protocol):
    """Keeps what was superseded in sources for as long as their settings say."""

    async def keep(self, source: "Source", setting: HistorySetting) -> None:
        """Change how long a source keeps what is superseded; if it keeps nothing, its existing history is purged now.

        Raises:
            InvalidArgument: the source is to keep nothing, but it is part of a baseline.
        """
        ...

    async def forgotten_by(self, source: "Source", setting: HistorySetting) -> "tuple[Purged, int]":
        """What a setting would remove now or at the next purge, and how many superseded revisions there are.

        Raises:
            InvalidArgument: the source is to keep nothing, but it is part of a baseline.
        """
        ...

    async def held(self, source: "Source") -> HeldPast:
        """What is kept of the past of a source."""
        ...


SOURCE_HISTORY: ServiceKey[SourceHistory] = ServiceKey("the history of sources")
