"""The public keys of an authorization server (JWKS, RFC 7517), fetched seldom and kept."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import structlog

from citemark.model.errors import BackendUnavailable
from citemark.remote.connections import BodyTooLarge, Connections, DeadlineExceeded, Timeouts, Unreachable

Jwk = Mapping[str, Any]

BETWEEN_FETCHES = 5.0
"""Seconds in which the keys are asked for once at most: tokens with keys that nobody knows cost nothing."""

_FRESH = 600.0
"""Seconds after which keys are fetched again: a key that was taken back is not trusted for longer than that."""

_TIMEOUTS = Timeouts(connect=3, silence=5, total=8)
"""A caller waits for it, so it must end well before `tool_timeout`."""

_MOST_BYTES = 256 * 1024
"""Of a document of keys or metadata; real ones have a few KiB."""

_MOST_KEYS = 64
"""Keys of one server that are kept."""

_log = structlog.get_logger(__name__)


async def fetch_json(connections: Connections, url: str) -> Mapping[str, Any]:
    """A JSON object from an authorization server.

    Raises:
        BackendUnavailable: it cannot be fetched, or is not a JSON object.
    """
    try:
        answer = await connections.send("GET", url, timeouts=_TIMEOUTS, most_bytes=_MOST_BYTES)
        found: Any = json.loads(answer.body) if answer.status == 200 else None  # noqa: PLR2004 - HTTP's OK
    except (Unreachable, DeadlineExceeded, BodyTooLarge, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BackendUnavailable("The authorization server does not say how its tokens are checked; try again later.")
    return cast("dict[str, Any]", found)


def metadata_urls(issuer: str) -> Sequence[str]:
    """Where an issuer may describe itself: RFC 8414 puts the well-known part before its path, OpenID Connect behind."""
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    return (
        f"{base}/.well-known/oauth-authorization-server{path}",
        f"{base}/.well-known/openid-configuration{path}",
        f"{base}{path}/.well-known/openid-configuration",
    )


class KeySet:
    """The signing keys of one issuer, by their ids."""

    def __init__(self, issuer: str, url: str | None = None, seconds: Callable[[], float] = time.monotonic) -> None:
        """Fetch nothing yet.

        Args:
            issuer: whose keys.
            url: where they are; found in the issuer's metadata by default.
            seconds: a monotonic clock.
        """
        self._issuer = issuer
        self._url = url
        self._seconds = seconds
        self._keys: Mapping[str, Jwk] = {}
        self._fetched: float | None = None
        self._tried: float | None = None
        self._fetching = asyncio.Lock()
        self._connections = Connections(url or issuer, most=2)

    async def key(self, kid: str | None) -> Jwk | None:
        """The key of an id, or the only key if `kid` is None; None if there is no such key.

        Raises:
            BackendUnavailable: no keys were ever fetched, and none can be now.
        """
        if self._due(kid) or (self._fetching.locked() and kid not in self._keys):
            async with self._fetching:
                if self._due(kid):
                    await self._fetch()
        if self._fetched is None:
            raise BackendUnavailable("The authorization server cannot be asked for its keys; try again later.")
        if kid is None:
            return next(iter(self._keys.values())) if len(self._keys) == 1 else None
        return self._keys.get(kid)

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    def _due(self, kid: str | None) -> bool:
        now = self._seconds()
        if self._tried is not None and now - self._tried < BETWEEN_FETCHES:
            return False
        return self._fetched is None or now - self._fetched > _FRESH or (kid is not None and kid not in self._keys)

    async def _fetch(self) -> None:
        """Replace the keys; those that are known stay when that fails."""
        self._tried = self._seconds()
        try:
            if self._url is None:
                self._url = await self._discovered()
            document = await fetch_json(self._connections, self._url)
        except BackendUnavailable as error:
            _log.warning("keys_not_fetched", origin=self._issuer, reason=error.message, action="authenticate")
            return
        self._keys = _signing_keys(document)
        self._fetched = self._seconds()

    async def _discovered(self) -> str:
        """Where the issuer says that its keys are.

        Raises:
            BackendUnavailable: it does not say so.
        """
        for url in metadata_urls(self._issuer):
            try:
                found = await fetch_json(self._connections, url)
            except BackendUnavailable:
                continue
            # The metadata of one issuer must not name another (RFC 8414, 3.3).
            if found.get("issuer") == self._issuer and isinstance(found.get("jwks_uri"), str):
                return str(found["jwks_uri"])
        raise BackendUnavailable("The issuer has no metadata that name it and its keys; set oauth_jwks_url.")


def _signing_keys(document: Mapping[str, Any]) -> dict[str, Jwk]:
    listed: Any = document.get("keys")
    if not isinstance(listed, list):
        return {}
    found: dict[str, Jwk] = {}
    for key in cast("list[Any]", listed)[:_MOST_KEYS]:
        if not isinstance(key, dict):
            continue
        jwk = cast("dict[str, Any]", key)
        # A shared secret in a public document would let everybody sign.
        if jwk.get("use", "sig") == "sig" and jwk.get("kty") in {"RSA", "EC", "OKP"}:
            found[str(jwk.get("kid", ""))] = jwk
    return found
