"""Listings that no Nextcloud writes: odd values, too much of everything, no end. For `faults.add(Instead(...))`."""

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

Made = Callable[[str], tuple[int, dict[str, str], bytes]]
"""Status, headers and body for `METHOD /decoded/path?query`."""

_DAV = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"'
_XML = {"content-type": "application/xml; charset=utf-8"}
_JSON = {"content-type": "application/json"}

ODD_IDS: tuple[Any, ...] = (None, 1.5, "²", True, -1, [], {}, "abc", 10**30)
BAD_ADDRESSES = ("http://[bad", "http://[::1", "http://]/[")


def json_answer(value: Any, **headers: str) -> Made:
    """The same JSON for every question."""
    body = json.dumps(value).encode()
    return lambda _: (200, {**_JSON, **headers}, body)


def deep_json(levels: int = 100_000) -> Made:
    """Arrays in arrays."""
    body = b"[" * levels + b"]" * levels
    return lambda _: (200, dict(_JSON), body)


def wide_json(items: int = 10_000_000) -> Made:
    """A short text that takes a hundred times its length once it is parsed."""
    body = b"[" + b",".join([b"[]"] * items) + b"]"
    return lambda _: (200, dict(_JSON), body)


def notes_under(ids: tuple[Any, ...]) -> Made:
    """A list of notes with those ids."""
    return json_answer([{"id": each, "etag": "e", "modified": 1, "title": "t", "content": "c"} for each in ids])


def endless_notes() -> Made:
    """A chunk of notes, and always one more; the list itself is answered with twenty notes."""
    numbers = count(1_000)
    listed = [{"id": number, "etag": "e", "modified": 1} for number in range(20)]

    def make(line: str) -> tuple[int, dict[str, str], bytes]:
        if "chunkSize" not in line:
            return 200, dict(_JSON), json.dumps(listed).encode()
        chunk = [{"id": next(numbers), "etag": "e", "modified": 1, "title": "t", "content": "c"}]
        return 200, {**_JSON, "x-notes-chunk-cursor": str(next(numbers))}, json.dumps(chunk).encode()

    return make


def multistatus(responses: str, token: str = "") -> bytes:
    """The body of a multistatus."""
    return f'<?xml version="1.0"?><d:multistatus {_DAV}>{responses}{token}</d:multistatus>'.encode()


def multistatus_answer(responses: str) -> Made:
    """The same multistatus for every question."""
    body = multistatus(responses)
    return lambda _: (207, dict(_XML), body)


def response(href: str, properties: Mapping[str, str] | None = None) -> str:
    """One resource with properties, each a qualified name and what stands in it."""
    inside = "".join(f"<{name}>{value}</{name}>" for name, value in (properties or {"d:getetag": '"e"'}).items())
    found = f"<d:propstat><d:prop>{inside}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>"
    return f"<d:response><d:href>{href}</d:href>{found}</d:response>"


def entry(path: str, number: int, *, folder: bool) -> str:
    """A file or folder of a listing; `path` is the whole one, slash at the end for a folder."""
    kind = "<d:collection/>" if folder else ""
    known = {
        "d:resourcetype": kind,
        "d:getetag": f'"{number:x}"',
        "oc:fileid": str(number),
        "d:getcontentlength": "5",
        "d:getlastmodified": "Sat, 21 Nov 2026 09:00:00 GMT",
        "d:getcontenttype": "" if folder else "text/plain",
    }
    return response(path, known)


def endless_tree(folders: int = 3, files: int = 2) -> Made:
    """Every folder holds folders, without end."""
    numbers: dict[str, int] = {}
    fresh = count(1_000_000)

    def number(path: str) -> int:
        return numbers.setdefault(path, next(fresh))

    def below(path: str) -> Iterator[str]:
        yield entry(path, number(path), folder=True)
        for place in range(folders):
            inner = f"{path}f{place}/"
            yield entry(inner, number(inner), folder=True)
        for place in range(files):
            inner = f"{path}t{place}.txt"
            yield entry(inner, number(inner), folder=False)

    def make(line: str) -> tuple[int, dict[str, str], bytes]:
        path = line.partition(" ")[2].rstrip("/") + "/"
        return 207, dict(_XML), multistatus("".join(below(path)))

    return make


def crowded_folder(user: str, entries: int) -> Made:
    """A root folder that holds so many files."""
    root = f"/remote.php/dav/files/{user}/"
    rows = [entry(root, 1, folder=True), *(entry(f"{root}{n}.txt", n + 2, folder=False) for n in range(entries))]
    return multistatus_answer("".join(rows))


def padded(body: bytes, name: str, size: int) -> bytes:
    """A multistatus with so many bytes of one more thing: empty elements, attributes, or text."""
    head, tail = body[: -len(b"</d:multistatus>")], b"</d:multistatus>"
    match name:
        case "elements":
            more = b"<d:x/>" * (size // 6)
        case "attributes":
            more = b"<d:x " + b" ".join(b'a%d=""' % n for n in range(size // 10)) + b"/>"
        case "text":
            more = b"<d:x>" + b"x" * size + b"</d:x>"
        case "depth":
            more = b"<d:x>" * (size // 12) + b"</d:x>" * (size // 12)
        case _:
            more = b"<!--" + b"x" * size + b"-->"
    return head + more + tail


def endless_report(collection: str) -> Made:
    """A report of changes of which always one more part is to come."""
    numbers = count(1)

    def make(_: str) -> tuple[int, dict[str, str], bytes]:
        number = next(numbers)
        more = "<d:response><d:href>{}</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>"
        token = f"<d:sync-token>http://sabre.io/ns/sync/{1_000 + number}</d:sync-token>"
        return 207, dict(_XML), multistatus(response(f"{collection}{number}.ics") + more.format(collection), token)

    return make
