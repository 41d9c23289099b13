"""The public keys of an authorization server (JWKS, RFC 7517), fetched rarely and kept."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import jwt
import structlog

from citemark.model.errors import BackendUnavailable
from citemark.remote.connections import BodyTooLarge, Connections, DeadlineExceeded, HttpRequest, Timeouts, Unreachable

Jwk = Mapping[str, Any]

BETWEEN_FETCHES = 5.0
"""Seconds in which the keys are fetched at most once, so that tokens with unknown keys cost nothing."""

_FRESH = 600.0
"""Seconds after which the keys are fetched again: a withdrawn key is trusted for no longer than that."""

_TIMEOUTS = Timeouts(connect=3, silence=5, total=8)
"""A caller waits for the fetch, so it must end well before `tool_timeout`."""

_MOST_BYTES = 256 * 1024
"""The size limit of a document with keys or metadata; real ones have a few KiB."""

_MOST_KEYS = 64
"""The most keys of one server that are kept."""

_log = structlog.get_logger(__name__)


async def fetch_json(connections: Connections, url: str) -> Mapping[str, Any]:
    """Return a JSON object from an authorization server.

    Raises:
        BackendUnavailable: it cannot be fetched, or is not a JSON object.
    """
    try:
        response = await connections.send(HttpRequest("GET", url, most_bytes=_MOST_BYTES), _TIMEOUTS)
        content: Any = json.loads(response.body) if response.status == 200 else None  # noqa: PLR2004 - HTTP's OK
    except (Unreachable, DeadlineExceeded, BodyTooLarge, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise BackendUnavailable("The authorization server does not say how its tokens are checked; try again later.")
    return cast("dict[str, Any]", content)


def metadata_urls(issuer: str) -> Sequence[str]:
    """Return the possible URLs of metadata: RFC 8414 puts the well-known part before the path, OpenID Connect after."""
    parts = urlsplit(issuer)
    base, path = f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/")
    return (
        f"{base}/.well-known/oauth-authorization-server{path}",
        f"{base}/.well-known/openid-configuration{path}",
        f"{base}{path}/.well-known/openid-configuration",
    )


async def fetch_metadata(connections: Connections, issuer: str, *needed: str) -> Mapping[str, Any] | None:
    """Return the metadata of an issuer that say all that is `needed`, as texts; None if it publishes none such."""
    for url in metadata_urls(issuer):
        try:
            metadata = await fetch_json(connections, url)
        except BackendUnavailable:
            continue
        # The metadata of one issuer must not name another (RFC 8414, 3.3).
        if metadata.get("issuer") == issuer and all(isinstance(metadata.get(name), str) for name in needed):
            return metadata
    return None


class KeySet:
    """The signing keys of one issuer, by key id."""

    def __init__(self, issuer: str, url: str | None = None, seconds: Callable[[], float] = time.monotonic) -> None:
        """Prepare the key set without fetching anything.

        Args:
            issuer: the issuer whose keys these are.
            url: the URL of the keys; taken from the issuer's metadata by default.
            seconds: a monotonic clock, in seconds.
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
        """Return the key of an id, or the only key if `kid` is None; None if there is no such key.

        Raises:
            BackendUnavailable: no keys were ever fetched, and none can be fetched now.
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
        """Replace the keys; if that fails, the known ones stay."""
        self._tried = self._seconds()
        try:
            if self._url is None:
                self._url = await self._discover_url()
            document = await fetch_json(self._connections, self._url)
        except BackendUnavailable as error:
            _log.warning("keys_not_fetched", origin=self._issuer, reason=error.message, action="authenticate")
            return
        keys = _signing_keys(document)
        if not keys:  # an answer of a proxy, or of an issuer that is just being set up: no reason to refuse everybody
            _log.warning("keys_not_fetched", origin=self._issuer, reason="no usable key", action="authenticate")
            return
        self._keys = keys
        self._fetched = self._seconds()

    async def _discover_url(self) -> str:
        """Return the URL at which the issuer says that its keys are.

        Raises:
            BackendUnavailable: the issuer does not say so.
        """
        metadata = await fetch_metadata(self._connections, self._issuer, "jwks_uri")
        if metadata is not None:
            return str(metadata["jwks_uri"])
        raise BackendUnavailable("The issuer has no metadata with its name and keys; set oauth_jwks_url.")


def _signing_keys(document: Mapping[str, Any]) -> dict[str, Jwk]:
    listed: Any = document.get("keys")
    if not isinstance(listed, list):
        return {}
    keys_by_id: dict[str, Jwk] = {}
    for key in cast("list[Any]", listed)[:_MOST_KEYS]:
        if not isinstance(key, dict):
            continue
        jwk = cast("dict[str, Any]", key)
        # A shared secret in a public document would let anybody sign tokens.
        if jwk.get("use", "sig") == "sig" and jwk.get("kty") in {"RSA", "EC", "OKP"} and _is_usable(jwk):
            keys_by_id[str(jwk.get("kid", ""))] = jwk
    return keys_by_id


def _is_usable(key: Jwk) -> bool:
    """Whether signatures can be checked with a key: it is complete, and of a known kind."""
    try:
        jwt.PyJWK(dict(key))
    except (jwt.PyJWTError, ValueError, TypeError):
        return False
    return True
