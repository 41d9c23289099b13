"""The double's files against the recorded ones, request by request."""

from collections.abc import Callable

import pytest
from tests.contract.nextcloud.recording import Exchange
from tests.contract.nextcloud.replay import Replay
from tests.nextcloud.files.content import Repeated
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")

_NOT_BUILT = ("/remote.php/dav/versions/",)
"""Nothing of ours reads old versions of files."""


def seeded(nextcloud: Nextcloud) -> None:
    """The recorded files where ids and paths appear in the record."""
    files = nextcloud.world.files

    def folder(number: int, path: str, user: str = "alice") -> None:
        files.tree.number(number)
        files.folder(user, path)

    def put(number: int, path: str, content: bytes | Repeated = b"text", mtime: int = 1790475200) -> None:
        files.tree.number(number)
        files.put("alice", path, content, mtime)

    for number, path in ((37, "/Documents"), (38, "/Documents/Tax"), (40, "/Projects"), (41, "/Projects/Heron")):
        folder(number, path)
    folder(42, "/Projects/Heron/Design")
    folder(43, "/Logs")
    folder(47, "/Bücher & Texte")
    put(48, "/Readme.md", b"# Read me")
    put(49, "/todo.txt", b"todo", 1790043200)
    put(56, "/Projects/Heron/README.md", b"# Heron")
    put(59, "/Projects/Heron/Design/capacity.md", b"# Capacity")
    put(67, "/Bücher & Texte/Der Nebel \u2013 Entwurf.md")
    put(66, "/Bücher & Texte/100% sure? #1.txt")
    put(70, "/handbook.md", b"# Handbook")
    put(75, "/Documents/Arbeitszeugnis.docx", b"PK" + b"x" * 1068, 1750000000)
    put(80, "/Logs/2026-10.log", b"log")
    put(81, "/Logs/big-5mb.txt", Repeated(b"Big text file for size limits.\nline\n", 5242958), 1791111111)
    put(89, "/Notes/Work/Heron kickoff minutes.md", b"# minutes", 1793612400)
    put(91, "/Notes/Work/Heron/Heron risks.md", b"# risks", 1794200000)
    files.favourite("alice", "/Notes/Work/Heron kickoff minutes.md", on=True)
    folder(150, "/Notes", "bob")
    folder(151, "/Private", "bob")
    files.share("alice", "/Projects/Heron", "bob", 15)
    files.share("alice", "/handbook.md", "bob", 1)
    for node in files.tree.by_id.values():
        node.mtime = 1790475200 if node.is_folder else node.mtime
    files.tree.number(169)


def test_files_respond_as_recorded_from_the_real_server(
    recorded: dict[str, list[Exchange]], nextcloud: Nextcloud
) -> None:
    seeded(nextcloud)
    replay = Replay(nextcloud)
    files = nextcloud.world.files

    log = files.tree.locate("alice", "/Logs/2026-10.log").node
    replay.learnt["1db941209712128926bb54fd9a20f341"] = log.etag

    def copied() -> None:
        files.tree.number(163)
        files.copy("alice", "/Readme.md", "/Readme-copy.md").mtime += 1

    def recreated() -> None:
        files.tree.number(168)
        files.put("alice", "/Readme.md", b"again", nextcloud.world.clock.seconds() + 2)

    before: dict[str, Callable[[], object]] = {"delete": copied, "GET missing": recreated}
    found: list[str] = []
    for exchange in recorded["files"]:
        if exchange.url.startswith(_NOT_BUILT):
            continue
        before.get(exchange.title, lambda: None)()
        found += replay.differences(exchange)
    assert not found, "\n".join(found)


def test_notes_and_files_are_the_same_things(recorded: dict[str, list[Exchange]], nextcloud: Nextcloud) -> None:
    files = nextcloud.world.files
    for number in (113, 119):
        files.tree.number(number)
        nextcloud.world.notes.add("alice", f"Note {number}", "text")
    files.tree.number(133)
    nextcloud.world.notes.add("alice", "Scratch", "Scratch")
    nextcloud.world.clock.jump(1)
    replay = Replay(nextcloud)
    before: dict[str, Callable[[], object]] = {
        "a note shared as a file, as owner": lambda: files.share("alice", "/Notes/Scratch.md", "bob", 1)
    }
    found: list[str] = []
    for exchange in recorded["notes2"][2:]:
        before.get(exchange.title, lambda: None)()
        found += replay.differences(exchange)
    assert not found, "\n".join(found)
