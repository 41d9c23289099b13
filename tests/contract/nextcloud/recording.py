"""Reads `tests/data/nextcloud/recorded.md`: exchanges with a real server, by section."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_FENCE = re.compile(r"(?:^\*(?P<title>[^*\n]+)\*\n\n)?^```\n(?P<text>> .*?)^```$", re.MULTILINE | re.DOTALL)
_REQUEST = re.compile(r"(?P<method>[A-Z]+) (?P<url>\S+)\s+\((?:as )?(?P<user>\S+?)\)$")
_CUT = re.compile(r"\n… \[\d+ chars in all\]\s*$")
_CARRIAGE = re.compile(r"\?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer; `cut` where the body was shortened for the record."""

    title: str
    method: str
    url: str
    user: str
    request_headers: Mapping[str, str]
    request_body: str
    status: int
    headers: Mapping[str, str]
    body: str
    cut: bool

    @property
    def line(self) -> str:
        return f"{self.method} {self.url}"


def sections(text: str) -> dict[str, list[Exchange]]:
    """The exchanges of each `## [name]` part, in their order."""
    parts = re.split(r"^## \[(\w+)\]$", text, flags=re.MULTILINE)
    return {name: exchanges(part) for name, part in zip(parts[1::2], parts[2::2], strict=True)}


def exchanges(text: str) -> list[Exchange]:
    """The fenced exchanges of a text."""
    return [_exchange(found["title"] or "", found["text"]) for found in _FENCE.finditer(text)]


def _exchange(title: str, text: str) -> Exchange:
    asked, _, answered = text.partition("\n\nHTTP ")
    lines = [line[2:] if line.startswith("> ") else "" for line in asked.split("\n")]
    request = _REQUEST.match(lines[0])
    if request is None:
        raise ValueError(f"no request line: {lines[0]}")
    split = lines.index("") if "" in lines else len(lines)
    head, _, body = answered.partition("\n\n")
    status, *headers = head.split("\n")
    return Exchange(
        title.strip(),
        request["method"],
        request["url"],
        "" if request["user"] == "anonymous" else request["user"],
        _headers(lines[1:split]),
        _with_carriage("\n".join(lines[split + 1 :])),
        int(status.split()[0]),
        _headers(headers),
        _CUT.sub("", body).rstrip("\n"),
        _CUT.search(body) is not None,
    )


def _headers(lines: list[str]) -> dict[str, str]:
    return {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if value}


def _with_carriage(body: str) -> str:
    """The record shows a carriage return as a question mark at the end of a line."""
    return _CARRIAGE.sub("\r", body) if body.startswith("BEGIN:") else body
