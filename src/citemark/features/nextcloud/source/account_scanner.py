"""Lists all apps of an account concurrently; a failure in one app does not affect the others."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias, assert_never

import structlog

from citemark.features.nextcloud.source.account import AccountApp
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.http_responses import array_in, json_in, object_in
from citemark.features.nextcloud.source.scan_limits import (
    RequestLimitReached,
    ScanLimitReached,
    ScanLimits,
    request_limit,
)
from citemark.model.documents import Listed, Problem, ScanEnd, TooLarge
from citemark.model.errors import CitemarkError, RetriableSourceError, SourceError
from citemark.model.ids import NativeId
from citemark.model.left_out import LeftOut
from citemark.remote.connections import HttpRequest
from citemark.sources.contract import ScanState

_KEY = "capabilities"
_PATH = "/ocs/v2.php/cloud/capabilities"
_HEADERS = {"OCS-APIRequest": "true", "Accept": "application/json"}
_OPTIONAL = ("notes", "deck")
"""Apps that a server may lack, by their names among its capabilities."""


_FILES = "files"
"""The only app that leaves out some of what it finds."""

_AHEAD = 1000
"""Entries that apps may list ahead of the indexer; then they wait, which bounds memory."""

_MANY = 5
"""Number of documents from which a sudden empty listing is doubted; people do delete fewer at a time."""

_BELIEVED = 3
"""Scans in a row that must show an app empty before it is believed: an app that is being upgraded lists nothing."""

_COUNTS = "counts"
_log = structlog.get_logger(__name__)
ScanItem: TypeAlias = Listed | Problem | ScanEnd


async def absent_apps(client: Client, scan_state: ScanState) -> frozenset[str]:
    """Return the apps that this server lacks, or does not offer to this account.

    Raises:
        RetriableSourceError: the server does not say, for now.
        FatalSourceError: the account cannot be used any more.
    """
    cached = object_in(await scan_state.load(_KEY))
    headers = {**_HEADERS, "If-None-Match": str(cached["etag"])} if cached.get("etag") else _HEADERS
    reply = await client.send(HttpRequest("GET", _PATH, headers=headers, params={"format": "json"}))
    if reply.status == HTTPStatus.NOT_MODIFIED:
        return frozenset(str(name) for name in array_in(cached.get("absent")))
    capabilities = object_in(object_in(object_in(object_in(json_in(reply)).get("ocs")).get("data")).get("capabilities"))
    if reply.status != HTTPStatus.OK or not capabilities:
        raise RetriableSourceError(f"{client.server} answered {reply.status} when asked which apps it has.")
    absent = [name for name in _OPTIONAL if name not in capabilities]
    await scan_state.save(_KEY, {"etag": reply.headers.get("etag"), "absent": absent})
    return frozenset(absent)


@dataclass(frozen=True, slots=True)
class _Ended:
    """The end of one app's listing; `error` is set if it concerns the whole account."""

    app: AccountApp
    end: ScanEnd
    error: CitemarkError | None = None


_Queue = asyncio.Queue[tuple[AccountApp, Listed | Problem] | _Ended]


class AccountScanner:
    """Merges the listings of an account's apps into one."""

    def __init__(
        self, client: Client, apps: Sequence[AccountApp], scan_state: ScanState, limits: ScanLimits, *, chosen: bool
    ) -> None:
        self._limits = limits
        self._client = client
        self._apps = apps
        self._scan_state = scan_state
        self._chosen = chosen

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield what every app lists, then one end; types of apps that failed or are absent are `unlisted` in it.

        Raises:
            RetriableSourceError: the server does not answer now.
            FatalSourceError: the account cannot be used any more.
        """
        absent = await absent_apps(self._client, self._scan_state)
        if self._chosen:
            for app in self._apps:
                if app.name in absent:
                    yield Problem(NativeId(app.name), f"The server has no app {app.name!r}, or not for this account.")
        present = [app for app in self._apps if app.name not in absent]
        counts: Counter[str] = Counter()
        ends: dict[str, ScanEnd] = {}
        async with _listing(present, self._limits) as queue:
            while len(ends) < len(present):
                item = await queue.get()
                match item:
                    case _Ended(app, end, error):
                        if error is not None:
                            raise error
                        ends[app.name] = end
                    case (app, entry):
                        counts[app.name] += isinstance(entry, Listed | TooLarge)
                        yield entry
                    case _:
                        assert_never(item)
        yield await self._end(present, counts, ends)

    async def _end(
        self, present: Sequence[AccountApp], counts: Mapping[str, int], ends: Mapping[str, ScanEnd]
    ) -> ScanEnd:
        doubts = await self._doubts(present, counts, ends)
        failed = {app.name: ends[app.name].reason for app in present if not ends[app.name].complete} | doubts
        unlisted = {doc_type for end in ends.values() for doc_type in end.unlisted}
        trusted = {app.name for app in present if app.name not in failed}
        unlisted |= {each for app in self._apps if app.name not in trusted for each in app.doc_types}
        reason = "; ".join(f"{name}: {why}" for name, why in sorted(failed.items()))
        left_out = ends[_FILES].left_out if _FILES in ends else LeftOut(of_account=True)
        return ScanEnd(complete=bool(trusted), reason=reason, unlisted=frozenset(unlisted), left_out=left_out)

    async def _doubts(
        self, present: Sequence[AccountApp], counts: Mapping[str, int], ends: Mapping[str, ScanEnd]
    ) -> dict[str, str]:
        """Find apps that had documents and suddenly list none while others list some; these are not believed at first.

        If all apps are empty, the indexer has the same doubt about the whole source.
        """
        before = object_in(await self._scan_state.load(_COUNTS))
        now: dict[str, list[int]] = {}
        doubts: dict[str, str] = {}
        for app in present:
            had, times = _pair(before.get(app.name))
            count = counts.get(app.name, 0)
            if not ends[app.name].complete:
                now[app.name] = [had, times]
            elif _by_rules(ends[app.name]):
                now[app.name] = [count, 0]
            elif count == 0 and had >= _MANY and any(counts.values()) and times + 1 < _BELIEVED:
                now[app.name] = [had, times + 1]
                doubts[app.name] = f"suddenly empty; its {had} documents stay until it was seen empty {_BELIEVED} times"
            else:
                now[app.name] = [count, 0]
        if now != before:
            await self._scan_state.save(_COUNTS, {**before, **now})
        return doubts


@asynccontextmanager
async def _listing(apps: Sequence[AccountApp], limits: ScanLimits) -> AsyncGenerator[_Queue, None]:
    queue: _Queue = asyncio.Queue(_AHEAD)
    tasks = [asyncio.create_task(_list(app, queue, limits)) for app in apps]
    try:
        yield queue
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _list(app: AccountApp, queue: _Queue, limits: ScanLimits) -> None:
    """Put everything an app lists into the queue, its end last. A listing that reaches a limit ends there."""
    end = ScanEnd(complete=False, reason="the listing broke off")
    account_error: CitemarkError | None = None
    try:
        with request_limit(limits.requests):
            async for entry in _at_most(limits.documents, app.scanner.scan()):
                if isinstance(entry, ScanEnd):
                    end = entry
                else:
                    await queue.put((app, entry))
    except (ScanLimitReached, RequestLimitReached) as error:
        await queue.put((app, Problem(NativeId(app.name), error.message)))
        end = ScanEnd(complete=False, reason=error.message)
    except SourceError as error:
        end = ScanEnd(complete=False, reason=error.message)
    except CitemarkError as error:
        account_error = error
    except Exception as error:  # noqa: BLE001 - an unexpected error in one app must not stop the others
        _log.exception("listing_failed", what=app.name, action="scan")
        end = ScanEnd(complete=False, reason=f"listing it failed unexpectedly ({type(error).__name__}); see the log")
    await queue.put(_Ended(app, end, account_error))


async def _at_most(most: int, entries: AsyncIterator[ScanItem]) -> AsyncGenerator[ScanItem]:
    """Pass on the entries of a listing with at most `most` documents.

    Raises:
        ScanLimitReached: there are more.
    """
    documents = 0
    async for entry in entries:
        documents += isinstance(entry, Listed)
        if documents > most:
            raise ScanLimitReached(f"There are more than {most:,} documents", "MAX_DOCUMENTS")
        yield entry


def _by_rules(end: ScanEnd) -> bool:
    """Whether an app lists nothing because the rules of a person leave out what it has."""
    return end.left_out is not None and end.left_out.by_settings.any


def _pair(value: object) -> tuple[int, int]:
    match value:
        case [int(had), int(times)]:
            return had, times
        case _:
            return 0, 0
