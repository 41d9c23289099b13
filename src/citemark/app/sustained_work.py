"""Background work of a server that goes on after a failure."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from citemark.model.errors import BackendUnavailable, TimedOut

_PAUSE_SECONDS = 30.0
"""Time before work that failed is begun again: most failures are over by then, and lasting ones do not fill the log."""

_log = structlog.get_logger(__name__)


async def sustained(work: Callable[[], Awaitable[None]], action: str) -> None:
    """Do work that goes on until it is cancelled; if it fails, log the reason and begin it again after a pause.

    Whatever else the server does is not affected by the failure.
    """
    while True:
        try:
            await work()
        except (BackendUnavailable, TimedOut) as error:
            _log.warning("waiting_for_database", reason=error.message, action=action)
        except Exception as error:  # noqa: BLE001 - an error in one kind of work must not end the others
            _log.error("background_work_failed", action=action, exc_info=error)
        await asyncio.sleep(_PAUSE_SECONDS)
