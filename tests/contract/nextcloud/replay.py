"""Sending the recorded requests to the double and telling where its answers differ."""

import base64
import re
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx2
from lxml import etree
from tests.contract.nextcloud.recording import Exchange
from tests.contract.nextcloud.shapes import json_differences, repaired, xml_outline
from tests.nextcloud.messages import object_of
from tests.nextcloud.server import Nextcloud

_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Without certificates: reading them for each of the requests would take most of the time."""

_WHOLE = re.compile(r": HTTP/1.1 (200 OK|404 Not Found)( |$)")
HOST = "http://cloud.example.test"
_STEADY = frozenset(
    {
        "content-type", "cache-control", "x-notes-api-versions", "retry-after", "x-nextcloud-maintenance-mode",
        "www-authenticate", "content-range", "allow", "x-oc-mtime", "content-disposition", "x-notes-chunk-pending",
        "location",
    }
)  # fmt: skip
_TELLING = frozenset({"etag", "retry-after", "x-notes-chunk-cursor", "www-authenticate", "oc-etag", "last-modified"})
"""Headers that must be absent where the record has none."""

_LEARNT_KEYS = ("etag", "token", "endpoint", "login", "appPassword", "apppassword")


@dataclass(slots=True)
class Replay:
    """One conversation; `learnt` says what a recorded etag, token or address is called here."""

    nextcloud: Nextcloud
    learnt: dict[str, str] = field(default_factory=dict[str, str])
    steady_etags: bool = True
    secrets: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.learnt[HOST] = self.nextcloud.url

    def ours(self, text: str) -> str:
        """A recorded text in this server's words."""
        for recorded in sorted(self.learnt, key=len, reverse=True):
            text = text.replace(recorded, self.learnt[recorded])
        return text

    def differences(self, exchange: Exchange) -> list[str]:
        """Send the request, compare the answer, learn from it."""
        with httpx2.Client(base_url=self.nextcloud.url, verify=_NO_TLS) as client:
            request = client.build_request(
                exchange.method,
                self.ours(exchange.url),
                headers={**self._login(exchange), **self._headers(exchange)},
                content=self.ours(exchange.request_body).encode() or None,
            )
            answer = client.send(request)
        where = f"{exchange.title or exchange.line}: "
        return [where + found for found in self._compare(exchange, answer)]

    def _login(self, exchange: Exchange) -> dict[str, str]:
        if not exchange.user or "authorization" in exchange.request_headers:
            return {}
        user = exchange.user.partition("@")[0]
        secret = f"{exchange.user}:{self.secrets.get(user) or self.nextcloud.password(user)}"
        return {"authorization": f"Basic {base64.b64encode(secret.encode()).decode()}"}

    def _headers(self, exchange: Exchange) -> dict[str, str]:
        return {name: self.ours(value) for name, value in exchange.request_headers.items()}

    def _compare(self, exchange: Exchange, answer: httpx2.Response) -> Iterator[str]:
        if answer.status_code != exchange.status:
            yield f"status {answer.status_code}, recorded {exchange.status} {answer.text[:300]}"
            return
        yield from self._header_differences(exchange, answer)
        kind = exchange.headers.get("content-type", "")
        if "json" in kind and exchange.body:
            recorded = repaired(self.ours(exchange.body))
            ours = answer.json()
            yield from json_differences(recorded, ours, cut=exchange.cut)
            self._learn_json(repaired(exchange.body), ours)
        elif "xml" in kind and exchange.body:
            yield from self._xml_differences(exchange, answer)

    def _header_differences(self, exchange: Exchange, answer: httpx2.Response) -> Iterator[str]:
        for name, value in exchange.headers.items():
            if name == "content-length":
                continue
            if name not in answer.headers:
                yield f"lacks the header {name}: {value}"
            elif name in _STEADY and _plain(answer.headers[name]) != _plain(self.ours(value)):
                yield f"{name} is {answer.headers[name]}, recorded {value}"
        for name in _TELLING - exchange.headers.keys():
            if name in answer.headers:
                yield f"has the header {name}: {answer.headers[name]}"
        for name in ("etag", "x-notes-chunk-cursor"):
            if name in exchange.headers and name in answer.headers:
                yield from self._learn(exchange.headers[name].strip('"'), answer.headers[name].strip('"'))

    def _xml_differences(self, exchange: Exchange, answer: httpx2.Response) -> Iterator[str]:
        recorded, ours = (xml_outline(self.ours(exchange.body)), xml_outline(answer.text))
        if exchange.cut:
            recorded = [line for line in recorded[:-1] if _WHOLE.search(line)]  # the end may be lost
        for line in recorded:
            if line not in ours:
                yield f"lacks {line}; has {ours[:40]}"
        if not exchange.cut:
            for line in ours:
                if line not in recorded:
                    yield f"has besides {line}"
        for name in ("getetag", "sync-token"):
            pairs = zip(_texts(exchange.body, name), _texts(answer.text, name), strict=False)
            for one, other in pairs if not exchange.cut else ():
                yield from self._learn(one, other)

    def _learn(self, recorded: str, ours: str) -> Iterator[str]:
        """Remember a name; the same record must stay the same here, another be another."""
        known = self.learnt.get(recorded, ours)
        if self.steady_etags and known != ours:
            yield f"{ours} where {known} was due (recorded {recorded})"
        others = [name for name, value in self.learnt.items() if value == ours and name != recorded]
        if self.steady_etags and others:
            yield f"{ours} stands for {recorded} and for {others[0]}"
        self.learnt[recorded] = ours

    def _learn_json(self, recorded: Any, ours: Any) -> None:
        here = object_of(ours) or {}
        for name, value in (object_of(recorded) or {}).items():
            held = here.get(name)
            if name in _LEARNT_KEYS and isinstance(value, str) and isinstance(held, str):
                self.learnt[value] = held
            else:
                self._learn_json(value, held)


def _texts(text: str, name: str) -> list[str]:
    root = etree.fromstring(text.encode(), etree.XMLParser(recover=True))
    return (
        [(node.text or "").strip('"') for node in root.iter(f"{{DAV:}}{name}") if node.text] if root is not None else []
    )


def _plain(value: str) -> str:
    return re.sub(r"\s|\"", "", value).lower()
