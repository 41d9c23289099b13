"""The double's Notes API against the recorded one, request by request."""

import pytest
from tests.contract.nextcloud.recording import Exchange
from tests.contract.nextcloud.replay import Replay
from tests.nextcloud.server import Nextcloud

pytestmark = pytest.mark.requirement("double-tested-against-recordings")

_IDS = [89, 91, *range(92, 99), 100, 102, *range(103, 131), 133, 134]
"""41 ids as the recorded account had them: 100 ends the first chunk of ten."""


def seeded(nextcloud: Nextcloud) -> None:
    """Alice's notes with the recorded ids, titles and categories, one of Bob's, one file outside."""
    files, notes = nextcloud.world.files, nextcloud.world.notes
    files.tree.number(56)
    files.put("alice", "/Projects/Heron/README.md", "# Heron")
    for number in _IDS:
        title, category, modified = _KNOWN.get(number, (f"Note {number}", "Various", 1790000000))
        _add(nextcloud, number, title, category, modified)
    notes.edit("alice", 89, favourite=True)
    notes.edit("alice", 102, favourite=True)
    files.folder("bob", "/Notes")
    files.tree.number(142)
    notes.add("bob", "Bob's own", "private")
    files.folder("alice", "/Notes/ProbeCat")
    files.tree.number(168)


_KNOWN = {
    89: ("Heron kickoff minutes", "Work", 1793612400),
    91: ("Heron risks", "Work/Heron", 1794200000),
    102: ("Lentil soup with lemon", "Recipes", 1780000000),
    133: ("Scratch", "", 1793000000),
}


def _add(nextcloud: Nextcloud, number: int, title: str, category: str, modified: int) -> None:
    nextcloud.world.files.folder("alice", f"/Notes/{category}")
    nextcloud.world.files.tree.number(number)
    assert nextcloud.world.notes.add("alice", title, f"# {title}\n", category, modified) == number


def test_notes_respond_as_recorded_from_the_real_server(
    recorded: dict[str, list[Exchange]], nextcloud: Nextcloud
) -> None:
    seeded(nextcloud)
    replay = Replay(nextcloud)
    found: list[str] = []
    for exchange in recorded["notes"]:
        found += replay.differences(exchange)
    assert not found, "\n".join(found)


def test_chunks_end_with_every_id(recorded: dict[str, list[Exchange]], nextcloud: Nextcloud) -> None:
    seeded(nextcloud)
    replay = Replay(nextcloud)
    first, second = [one for one in recorded["notes"] if "chunkSize" in one.url]
    assert replay.differences(first) + replay.differences(second) == []
