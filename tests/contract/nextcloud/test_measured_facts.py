"""What was measured on the real server beyond the recorded exchanges: etags, shares, logins, throttling."""

import base64
from collections.abc import Generator

import httpx2
import pytest
from lxml import etree
from tests.nextcloud.pim.texts import event
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")

_PROPS = (
    b'<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns">'
    b"<d:prop><d:getetag/><oc:fileid/><oc:permissions/></d:prop></d:propfind>"
)
_SYNC = (
    '<d:sync-collection xmlns:d="DAV:"><d:sync-token>{}</d:sync-token><d:prop><d:getetag/></d:prop></d:sync-collection>'
)


class RawClient:
    """Requests as one user or another, without cookies."""

    def __init__(self, nextcloud: Nextcloud, client: httpx2.Client) -> None:
        self.nextcloud = nextcloud
        self.client = client

    def ask(self, user: str, method: str, path: str, body: bytes | str = b"", **headers: str) -> httpx2.Response:
        login = self.nextcloud.basic(user) if user else {}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.client.cookies.clear()
        return self.client.request(method, path, content=body, headers={**login, **named})

    def file(self, user: str, path: str) -> tuple[str, str, str]:
        """Etag, id and permissions of a file."""
        answer = self.ask(user, "PROPFIND", f"/remote.php/dav/files/{user}{path}", _PROPS, depth="0")
        root = etree.fromstring(answer.content)
        names = ("{DAV:}getetag", "{http://owncloud.org/ns}fileid", "{http://owncloud.org/ns}permissions")
        etag, number, permissions = (root.findtext(f".//{name}") or "" for name in names)
        return etag, number, permissions

    def etags(self, user: str, *paths: str) -> list[str]:
        return [self.file(user, path)[0] for path in paths]

    def board(self) -> tuple[str, str]:
        """The etags of the list of boards and of the first board."""
        listed = self.ask("alice", "GET", "/apps/deck/api/v1.0/boards")
        return listed.headers["etag"], listed.json()[0]["ETag"]


@pytest.fixture
def raw_client(nextcloud: Nextcloud) -> Generator[RawClient, None, None]:
    with httpx2.Client(base_url=nextcloud.url) as client:
        yield RawClient(nextcloud, client)


def test_a_nested_write_renews_every_folder_above_in_all_trees_and_no_sibling(raw_client: RawClient) -> None:
    files = raw_client.nextcloud.world.files
    files.put("alice", "/Projects/Heron/Design/capacity.md", "one")
    files.folder("alice", "/Documents")
    files.share("alice", "/Projects/Heron", "bob")
    mine, theirs = ("/", "/Projects", "/Projects/Heron", "/Projects/Heron/Design"), ("/", "/Heron", "/Heron/Design")
    before = [raw_client.etags("alice", *mine, "/Documents"), raw_client.etags("bob", *theirs)]
    raw_client.ask("bob", "PUT", "/remote.php/dav/files/bob/Heron/Design/capacity.md", b"one")
    after = [raw_client.etags("alice", *mine, "/Documents"), raw_client.etags("bob", *theirs)]
    assert [old == new for old, new in zip(before[0], after[0], strict=True)] == [False] * 4 + [True]
    assert [old == new for old, new in zip(before[1], after[1], strict=True)] == [False] * 3


def test_a_moved_folder_keeps_ids_and_etags_all_the_way_down(raw_client: RawClient) -> None:
    files = raw_client.nextcloud.world.files
    files.put("alice", "/Old/inner.md", "text")
    files.folder("alice", "/New")
    before = [
        raw_client.file("alice", "/Old"),
        raw_client.file("alice", "/Old/inner.md"),
        raw_client.file("alice", "/New"),
    ]
    destination = f"{raw_client.nextcloud.url}/remote.php/dav/files/alice/New/Old"
    assert (
        raw_client.ask("alice", "MOVE", "/remote.php/dav/files/alice/Old", destination=destination).status_code == 201
    )
    assert [raw_client.file("alice", "/New/Old"), raw_client.file("alice", "/New/Old/inner.md")] == before[:2]
    assert raw_client.file("alice", "/New")[0] != before[2][0]


def test_copies_and_recreated_files_get_new_ids_and_a_restored_file_its_old_one(raw_client: RawClient) -> None:
    files = raw_client.nextcloud.world.files
    files.put("alice", "/a.md", "text")
    first = raw_client.file("alice", "/a.md")[1]
    files.copy("alice", "/a.md", "/b.md")
    files.delete("alice", "/a.md")
    files.put("alice", "/a.md", "text")
    assert len({first, raw_client.file("alice", "/a.md")[1], raw_client.file("alice", "/b.md")[1]}) == 3
    files.delete("alice", "/a.md")
    files.restore("alice", files.trash["alice"][0].name)
    assert raw_client.file("alice", "/a.md")[1] == first


def test_a_share_has_the_owners_id_and_etag_and_an_unshare_renews_the_sharees_root(raw_client: RawClient) -> None:
    files = raw_client.nextcloud.world.files
    files.put("alice", "/Projects/plan.md", "text")
    files.share("alice", "/Projects/plan.md", "bob", 1)
    own, shared = raw_client.file("alice", "/Projects/plan.md"), raw_client.file("bob", "/plan.md")
    assert own[:2] == shared[:2]
    assert (own[2], shared[2]) == ("RGDNVW", "SGDNV")
    before = raw_client.etags("bob", "/")
    files.unshare_with("alice", "/Projects/plan.md", "bob")
    assert raw_client.etags("bob", "/") != before
    assert raw_client.ask("bob", "GET", "/remote.php/dav/files/bob/plan.md").status_code == 404


def test_a_file_that_a_sharee_moves_out_is_gone_for_its_owner(raw_client: RawClient) -> None:
    files = raw_client.nextcloud.world.files
    number = files.put("alice", "/Heron/plan.md", "text").id
    files.share("alice", "/Heron", "bob")
    files.move("bob", "/Heron/plan.md", "/mine.md")
    assert raw_client.file("bob", "/mine.md")[1] == str(number)
    assert raw_client.ask("alice", "GET", "/remote.php/dav/files/alice/Heron/plan.md").status_code == 404
    assert files.trash["alice"] == []


def test_a_cards_change_its_comment_and_its_deletion_climb_to_the_list_of_boards(raw_client: RawClient) -> None:
    world = raw_client.nextcloud.world
    card = world.deck.card(world.deck.stack(world.deck.board("alice", "Board").id, "To do").id, "Card").id
    seen = [raw_client.board()]
    for change in (
        lambda: world.deck.edit(card, title="Other"),
        lambda: world.deck.comment(card, "alice", "ping"),
        lambda: world.deck.delete(card),
    ):
        world.clock.jump(1)
        change()
        seen.append(raw_client.board())
    assert len({listed for listed, _ in seen}) == len({board for _, board in seen}) == 4


def test_two_changes_of_a_board_within_a_second_cannot_be_distinguished(raw_client: RawClient) -> None:
    deck = raw_client.nextcloud.world.deck
    raw_client.nextcloud.world.clock.now = lambda: 1795220785.0
    card = deck.card(deck.stack(deck.board("alice", "Board").id, "To do").id, "Card").id
    before = raw_client.board()
    deck.edit(card, title="Other")
    assert raw_client.board() == before
    assert before[1] == "f6c7adb62b3ba334116b67f9b33f63ee", "the etag that the real server had for this second"


def test_a_calendar_restored_from_a_backup_accepts_newer_tokens(raw_client: RawClient) -> None:
    calendars = raw_client.nextcloud.world.calendars
    calendars.create("alice", "work")
    kept = calendars.backup()
    calendars.put("alice", "work", event("one", "One"))
    calendars.roll_back(kept)
    body = _SYNC.format("http://sabre.io/ns/sync/2")
    answer = raw_client.ask("alice", "REPORT", "/remote.php/dav/calendars/alice/work/", body)
    assert answer.status_code == 207
    assert etree.fromstring(answer.content).findtext("{DAV:}sync-token") == "http://sabre.io/ns/sync/1"


def test_bearer_opens_ocs_and_dav_but_neither_notes_nor_deck(raw_client: RawClient) -> None:
    bearer = f"Bearer {raw_client.nextcloud.password('alice')}"
    paths = ("/ocs/v2.php/cloud/user?format=json", "/apps/notes/api/v1/notes", "/apps/deck/api/v1.0/boards")
    answers = [raw_client.ask("", "GET", path, authorization=bearer, ocs_apirequest="true") for path in paths]
    assert [answer.status_code for answer in answers] == [200, 401, 401]
    assert answers[1].json() == {"message": "CORS requires basic auth"}
    assert raw_client.ask("", "PROPFIND", "/remote.php/dav/files/alice/", authorization=bearer).status_code == 207


def test_ocs_believes_a_cookie_more_than_a_login(raw_client: RawClient) -> None:
    cookie = raw_client.ask("alice", "GET", "/ocs/v2.php/cloud/user?format=json", ocs_apirequest="true").headers[
        "set-cookie"
    ]
    both = {"cookie": cookie.partition(";")[0], "ocs_apirequest": "true"}
    assert (
        raw_client.ask("bob", "GET", "/ocs/v2.php/cloud/user?format=json", **both).json()["ocs"]["data"]["id"]
        == "alice"
    )
    assert raw_client.ask("bob", "PROPFIND", "/remote.php/dav/files/bob/", **both).status_code == 207
    assert raw_client.ask("", "PROPFIND", "/remote.php/dav/files/alice/", **both).status_code == 207


def test_wrong_passwords_slow_and_then_stop_everyone_of_the_address(raw_client: RawClient) -> None:
    wrong = f"Basic {base64.b64encode(b'alice:wrong').decode()}"
    user = "/ocs/v2.php/cloud/user?format=json"
    for _ in range(5):
        assert raw_client.ask("", "GET", user, authorization=wrong, ocs_apirequest="true").status_code == 401
    told = raw_client.ask("bob", "GET", "/ocs/v2.php/cloud/capabilities?format=json", ocs_apirequest="true").json()
    assert told["ocs"]["data"]["capabilities"]["bruteforce"]["delay"] == 3200
    for _ in range(6):
        raw_client.ask("", "GET", user, authorization=wrong, ocs_apirequest="true")
    answers = [
        raw_client.ask("bob", "GET", user, ocs_apirequest="true"),
        raw_client.ask("bob", "GET", "/apps/notes/api/v1/notes"),
        raw_client.ask("bob", "PROPFIND", "/remote.php/dav/files/bob/"),
    ]
    assert [answer.status_code for answer in answers] == [429] * 3
    assert not any("retry-after" in answer.headers for answer in answers)
    assert answers[1].json() == {"message": "Reached maximum delay"}
    assert "TooManyRequests" in answers[2].text
    assert raw_client.ask("", "GET", "/status.php").status_code == 200
    raw_client.nextcloud.world.throttle.reset()
    assert raw_client.ask("bob", "GET", user, ocs_apirequest="true").status_code == 200


def test_a_revoked_app_password_is_refused_at_once_and_counts_as_an_attempt(raw_client: RawClient) -> None:
    world = raw_client.nextcloud.world
    held = raw_client.nextcloud.basic("alice")
    world.accounts.revoke("alice")
    assert raw_client.ask("", "GET", "/apps/notes/api/v1/notes", **held).status_code == 401
    assert world.throttle.attempts("127.0.0.1") == 1
