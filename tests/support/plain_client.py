"""A client that reads a whole account from a Nextcloud in the plainest way, to judge the double by."""

import ssl
from collections.abc import Iterator
from urllib.parse import quote, unquote

import httpx2
from lxml import etree
from tests.nextcloud.actions.marks import marks_in
from tests.nextcloud.expected_state import Key
from tests.nextcloud.server import Nextcloud

_DAV = "{DAV:}"
_LIST = b'<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:prop><oc:fileid/><d:resourcetype/></d:prop></d:propfind>'
_SYNC = b'<d:sync-collection xmlns:d="DAV:"><d:sync-token/><d:prop><d:getetag/></d:prop></d:sync-collection>'
_KINDS = {"vevent": "calendar_event", "vtodo": "calendar_todo"}


def everything(nextcloud: Nextcloud, user: str) -> dict[Key, frozenset[str]]:
    """Every document that a user can read, with the marks in it."""
    headers = {**nextcloud.basic(user), "ocs-apirequest": "true"}
    plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    with httpx2.Client(base_url=nextcloud.url, headers=headers, verify=plain) as client:
        return dict([*_notes(client), *_files(client, user), *_cards(client), *_objects(client, user)])


def _notes(client: httpx2.Client) -> Iterator[tuple[Key, frozenset[str]]]:
    for note in client.get("/apps/notes/api/v1/notes").json():
        yield Key("note", str(note["id"])), marks_in(f"{note['title']}\n{note['content']}")


def _files(client: httpx2.Client, user: str) -> Iterator[tuple[Key, frozenset[str]]]:
    root = f"/remote.php/dav/files/{user}/"
    answer = client.request("PROPFIND", root, content=_LIST, headers={"depth": "infinity"})
    for response in etree.fromstring(answer.content).iter(f"{_DAV}response"):
        href = response.findtext(f"{_DAV}href") or ""
        path = unquote(href).removeprefix(root)
        if not href.endswith("/") and not path.startswith("Notes/"):
            number = response.findtext(".//{http://owncloud.org/ns}fileid") or ""
            yield Key("file", number), marks_in(f"{path.rpartition('/')[2]}\n{client.get(href).text}")


def _cards(client: httpx2.Client) -> Iterator[tuple[Key, frozenset[str]]]:
    boards = "/apps/deck/api/v1.0/boards"
    for board in client.get(boards).json():
        for stacks in ("stacks", "stacks/archived") if not board["deletedAt"] else ():
            for stack in client.get(f"{boards}/{board['id']}/{stacks}").json():
                for card in stack["cards"]:
                    comments = client.get(
                        f"/ocs/v2.php/apps/deck/api/v1.0/cards/{card['id']}/comments?format=json&limit=200"
                    ).json()
                    said = [one["message"] for one in comments["ocs"]["data"]]
                    text = "\n".join([card["title"], card["description"], *said])
                    yield Key("deck_card", str(card["id"])), marks_in(text)


def _objects(client: httpx2.Client, user: str) -> Iterator[tuple[Key, frozenset[str]]]:
    for home in (f"/remote.php/dav/calendars/{user}/", f"/remote.php/dav/addressbooks/users/{user}/"):
        answer = client.request("PROPFIND", home, content=_LIST, headers={"depth": "1"})
        for response in etree.fromstring(answer.content).iter(f"{_DAV}response"):
            href = response.findtext(f"{_DAV}href") or ""
            made_by_apps = ("app-generated--", "z-", "contact_birthdays", "inbox", "outbox", "trashbin")
            if href != home and not href.removeprefix(home).startswith(made_by_apps):
                yield from _collection(client, href)


def _collection(client: httpx2.Client, href: str) -> Iterator[tuple[Key, frozenset[str]]]:
    answer = client.request("REPORT", href, content=_SYNC)
    for found in etree.fromstring(answer.content).iter(f"{_DAV}href"):
        item = client.get(quote(unquote(found.text or ""), safe="/"))
        text = item.text.replace("\r\n ", "")
        uid = next(line.removeprefix("UID:") for line in text.splitlines() if line.startswith("UID:"))
        component = item.headers["content-type"].rpartition("component=")[2]
        yield Key(_KINDS.get(component, "contact"), uid), marks_in(text)
