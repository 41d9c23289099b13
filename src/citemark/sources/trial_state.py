"""State of a scan that is only tried: it reads what earlier scans saved, and leaves nothing behind."""

from typing import Any

from citemark.sources.contract import ScanState


class TrialState:
    """The saved state, with the changes of one scan in memory."""

    def __init__(self, saved: ScanState) -> None:
        self._saved = saved
        self._changed: dict[str, Any] = {}

    async def load(self, key: str) -> Any | None:
        """Return the value that this scan or an earlier one saved under `key`, or None."""
        return self._changed[key] if key in self._changed else await self._saved.load(key)

    async def save(self, key: str, value: Any) -> None:
        """Keep a value until the scan is over."""
        self._changed[key] = value
