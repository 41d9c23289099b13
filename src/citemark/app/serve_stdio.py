"""`citemark serve`: MCP over stdio. Tools are listed immediately; the index opens in the background."""

import asyncio
import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import structlog

from citemark.app.audit_log import AuditLog
from citemark.app.features import families_of, observers_of
from citemark.app.host_app_pages import APP_PAGES
from citemark.app.metrics_file import MetricsFile
from citemark.app.opening_times import OpeningTimes
from citemark.app.sustained_work import sustained
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.folders import data_dir
from citemark.logs import configure_logs
from citemark.model.errors import BackendUnavailable, CitemarkError, ConfigurationError
from citemark.services.requests import Caller
from citemark.settings import Settings, load_settings
from citemark.shutdown import Shutdown
from citemark.tools.server import Health, build_server
from citemark.tools.stdio_transport import run_stdio
from citemark.tools.tool_catalog import ToolCatalog

if TYPE_CHECKING:
    from citemark.app.compose import App
    from citemark.services.bundle import Services
    from citemark.services.people.access_tokens import AccessTokens
    from citemark.tools.seen_calls import CallObserver

_LOOK_SECONDS = 2.0
"""How often a server checks whether another process changed the sources: a change shows within two seconds."""

_log = structlog.get_logger(__name__)


def serve_stdio(times: OpeningTimes) -> int:
    """Serve until the host closes the pipe or sends a signal."""
    unread: list[str] = []
    try:
        settings = load_settings(unread.append)
        audit = AuditLog(settings.audit_log)
        metrics = None if settings.metrics_dir is None else MetricsFile(settings.metrics_dir)
    except ConfigurationError as error:
        sys.stderr.write(f"citemark: {error.message}\n")
        return 2
    configure_logs(settings.log_level)
    for line in unread:
        _log.warning("settings_not_used", reason=line, action="settings")
    try:
        observers = (audit.seen,) if metrics is None else (audit.seen, metrics.seen)
        asyncio.run(_serve(settings, observers, times))
    finally:
        audit.close()
        if metrics is not None:
            metrics.close()
    return 0


async def _serve(settings: Settings, observers: "Sequence[CallObserver]", times: OpeningTimes) -> None:
    catalog = ToolCatalog.of(families_of(), ToolGroupsFile(settings).read())
    index = BackgroundIndex(settings, catalog)
    index.start_within(times.latest)
    told = (*observers, *observers_of(settings, index.services))
    server = build_server(index.services, settings, Caller.local(), catalog, observers=told, app_pages=APP_PAGES)
    serving = asyncio.create_task(run_stdio(server, lambda: index.start_within(times.quiet)))
    # Some hosts send a signal instead of closing stdin; dying of it would leave PostgreSQL running.
    ending = ending_of(settings)
    with ending.on_signals(asyncio.get_running_loop(), serving.cancel):
        try:
            await asyncio.wait([serving])
        finally:
            ending.begin()
            await index.close()
    if not serving.cancelled():
        await serving


def ending_of(settings: Settings) -> Shutdown:
    """The shutdown of a server over the index of some settings."""
    return Shutdown(None if settings.database_url is not None else data_dir(settings.data_dir), code=0)


class BackgroundIndex:
    """Opens the index while the protocol already answers, keeps it open, and runs its background work.

    When opening fails, or what follows it, the waiting call gets the error and the next call tries again.
    """

    def __init__(self, settings: Settings, catalog: ToolCatalog) -> None:
        self._settings = settings
        self._catalog = catalog
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[App] | None = None
        self._stop = asyncio.Event()
        self._waiting: asyncio.TimerHandle | None = None

    def start_within(self, seconds: float) -> None:
        """Begin to open the index after `seconds`, in place of any time given before; a call begins it at once."""
        if self._waiting is not None:
            self._waiting.cancel()
        if self._ready is None:
            self._waiting = asyncio.get_running_loop().call_later(seconds, self.start)

    def start(self) -> "asyncio.Future[App]":
        """Begin to open the index, unless that is under way or done."""
        if self._ready is None or (self._ready.done() and self._ready.exception() is not None):
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(self._ready))
        return self._ready

    async def services(self) -> "Services":
        """The services, once the index is open.

        Raises:
            CitemarkError: it cannot be opened; the message says why.
        """
        return (await asyncio.shield(self.start())).services

    async def tokens(self) -> "AccessTokens":
        """The tokens of other people, once the index is open.

        Raises:
            CitemarkError: as for `services`.
        """
        return (await asyncio.shield(self.start())).tokens

    async def app(self) -> "App":
        """All use cases of the index, once it is open.

        Raises:
            CitemarkError: as for `services`.
        """
        return await asyncio.shield(self.start())

    def health(self) -> Health:
        """Whether the index is open; after a failure, this call starts another attempt."""
        failed = self._ready.exception() if self._ready is not None and self._ready.done() else None
        if failed is not None:
            self.start()
            return Health("unavailable", failed.message if isinstance(failed, CitemarkError) else None)
        return Health("ready" if self.start().done() else "opening")

    async def close(self) -> None:
        """Stop the background work and close the index."""
        self._stop.set()
        if self._waiting is not None:
            self._waiting.cancel()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=20)

    async def _hold(self, ready: "asyncio.Future[App]") -> None:
        # The heavy imports happen here, after the protocol is already answering.
        opening = await asyncio.to_thread(importlib.import_module, "citemark.app.open_index")
        try:
            async with opening.open_app(self._settings) as app:
                await asyncio.to_thread(app.models.bundled.embed_query, "warm up")
                ready.set_result(app)
                try:
                    await self._work(app)
                except Exception:
                    # Calls that come while the index is closed wait for that, and get the error.
                    ready = self._ready = asyncio.get_running_loop().create_future()
                    raise
        except CitemarkError as error:
            _log.warning("index_unavailable", reason=error.message, action="open")
            loading = await asyncio.to_thread(importlib.import_module, "citemark.retrieval.model_loading")
            _refuse(ready, loading.not_loaded(error) if isinstance(error, loading.UNLOADABLE) else error)
        except Exception as error:  # noqa: BLE001 - without an error every call would wait for this index until its timeout
            _log.error("index_failed", action="open", exc_info=error)
            name = type(error).__qualname__
            _refuse(
                ready,
                BackendUnavailable(f"The index failed for a reason inside the server ({name}); its log says where."),
            )

    async def _work(self, app: "App") -> None:
        """Do the background work of an open index until the server ends."""
        await self._catalog.put(await app.holding())
        following = asyncio.create_task(sustained(self._follow, "follow_tools"))
        try:
            await app.work_in_background(self._stop)
        finally:
            following.cancel()
            await asyncio.wait([following])

    async def _follow(self) -> None:
        """Update the offered tools whenever any process records what the index holds."""
        listed = ToolGroupsFile(self._settings)
        seen = 0  # a change may have come while this work was broken off
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            changed = listed.changed_at()
            if changed != seen:
                seen = changed
                await self._catalog.put(listed.read() or self._catalog.holding)


def _refuse(ready: "asyncio.Future[App]", error: CitemarkError) -> None:
    """Pass the error on to the calls that wait for the index."""
    if not ready.done():
        ready.set_exception(error)
        ready.exception()
