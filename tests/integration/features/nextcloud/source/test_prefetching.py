"""What a scan has read is not requested again by the processor, unless it has changed by then."""

import re

import pytest
from tests.contract.source_contract import listing
from tests.nextcloud.faults import Status, Truncate
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.account import AccountApp
from citemark.features.nextcloud.source.notes.api import CHUNK
from citemark.model.documents import DocumentRef, Fetched, Listed, Verdict
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector, foreground

LATER = 60


async def scanned(app: AccountApp) -> list[Listed]:
    found = await listing(Connector(app.scanner, app.processor, app.verifier))
    assert found.end.complete
    return list(found.listed.values())


async def read(app: AccountApp, entry: Listed) -> Fetched:
    found = await app.processor.fetch(entry.doc_type, entry.native_id)
    assert found is not None
    return found


async def synced(app: AccountApp) -> dict[NativeId, str]:
    """Texts of all that a scan lists, each of the very version that it listed."""
    texts: dict[NativeId, str] = {}
    for entry in await scanned(app):
        found = await read(app, entry)
        assert found.version == entry.version
        texts[entry.native_id] = found.extracted.body
    return texts


def asked(nextcloud: Nextcloud) -> list[str]:
    """The requests since the log was cleared: paths without the interface, their queries by name."""
    seen = [re.sub(r"^.*/api/v1(\.\d)?/", "", each.line.partition(" ")[2]) for each in nextcloud.log.seen]
    return [re.sub(r"=[^&]*", "", each) for each in seen]


def entry_of(entries: list[Listed], number: int) -> Listed:
    return next(entry for entry in entries if entry.native_id == str(number))


@pytest.mark.requirement("notes-listed-by-etag")
async def test_a_first_sync_takes_one_request_per_some_hundred_notes(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes = nextcloud.world.notes
    numbers = [notes.add("alice", f"Note {number}", f"words {number}") for number in range(CHUNK + 3)]
    texts = await synced(accounts.notes())
    assert texts == {NativeId(str(each)): f"words {place}" for place, each in enumerate(numbers)}
    assert asked(nextcloud) == ["notes?exclude", "notes?chunkSize", "notes?chunkSize&chunkCursor"]


@pytest.mark.requirement("notes-listed-by-etag")
async def test_many_changed_notes_are_read_together_and_a_few_one_by_one(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes, app = nextcloud.world.notes, accounts.notes()
    numbers = [notes.add("alice", f"Note {number}", "words") for number in range(40)]
    await synced(app)
    nextcloud.world.clock.jump(LATER)
    await synced(app)
    for number in numbers[:20]:
        notes.edit("alice", number, content="many")
    nextcloud.log.clear()
    for entry in (entry for entry in await scanned(app) if int(entry.native_id) in numbers[:20]):
        assert (await read(app, entry)).extracted.body == "many"
    assert asked(nextcloud) == ["notes?exclude&pruneBefore", "notes?chunkSize&pruneBefore"]
    nextcloud.world.clock.jump(LATER)
    notes.edit("alice", numbers[0], content="one")
    nextcloud.log.clear()
    assert (await read(app, entry_of(await scanned(app), numbers[0]))).extracted.body == "one"
    assert asked(nextcloud) == ["notes?exclude&pruneBefore", f"notes/{numbers[0]}"]


async def test_notes_whose_texts_cannot_be_brought_together_are_read_one_by_one(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for number in range(12):
        nextcloud.world.notes.add("alice", f"Note {number}", "words")
    for fault in (Status(500), Truncate()):
        nextcloud.faults.add(fault, on="chunkSize", times=9)
        nextcloud.log.clear()
        assert len(await synced(accounts.notes())) == 12
        assert sum(re.fullmatch(r"notes/\d+", each) is not None for each in asked(nextcloud)) == 12
        nextcloud.faults.clear()


async def test_a_note_that_changes_between_listing_and_text_is_not_handed_over(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes = nextcloud.world.notes
    numbers = [notes.add("alice", f"Note {number}", "old") for number in range(12)]
    app = accounts.notes()
    listed = await scanned(app)
    notes.edit("alice", numbers[0], content="new")
    notes.edit("alice", numbers[1], content="new")
    assert (await read(app, entry_of(listed, numbers[0]))).version == entry_of(listed, numbers[0]).version
    again = await scanned(app)
    assert entry_of(again, numbers[1]) != entry_of(listed, numbers[1])
    found = await read(app, entry_of(again, numbers[1]))
    assert (found.version, found.extracted.body) == (entry_of(again, numbers[1]).version, "new")


@pytest.mark.requirement("failed-verification-shows-nothing")
@pytest.mark.parametrize("kind", ["note", "deck_card"])
async def test_waiting_for_a_rescan_returns_what_the_server_has_now_and_nothing_that_it_denies(
    nextcloud: Nextcloud, accounts: AccountsFixture, kind: str
) -> None:
    world = nextcloud.world
    if kind == "note":
        numbers = [world.notes.add("alice", f"Note {number}", "old") for number in range(12)]
        app = accounts.notes()
    else:
        stack = world.deck.stack(world.deck.board("alice", "Board").id, "To do")
        numbers = [world.deck.card(stack.id, f"Card {number}", "old").id for number in range(12)]
        app = accounts.deck()
    listed = await scanned(app)
    world.clock.jump(LATER)
    if kind == "note":
        world.notes.edit("alice", numbers[0], content="new")
        world.notes.edit("alice", numbers[1], content="new")
        world.notes.delete("alice", numbers[2])
    else:
        world.deck.edit(numbers[0], description="new")
        world.deck.edit(numbers[1], description="new")
        world.deck.delete(numbers[2])
    with foreground():
        assert "new" in (await read(app, entry_of(listed, numbers[0]))).extracted.body
        assert await app.processor.fetch(kind, NativeId(str(numbers[2]))) is None
    refs = [DocumentRef(kind, entry.native_id, entry.version) for entry in listed]
    verdicts = {int(ref.native_id): verdict for ref, verdict in (await verdicts_of(app.verifier, refs)).items()}
    assert [verdicts[number] for number in numbers[:4]] == [
        Verdict.CHANGED, Verdict.CHANGED, Verdict.GONE, Verdict.OK,
    ]  # fmt: skip
    assert "new" in (await read(app, entry_of(listed, numbers[1]))).extracted.body
    assert await app.processor.fetch(kind, NativeId(str(numbers[2]))) is None


async def test_another_process_asks_the_server_itself(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    scan_state = MemoryScanState()
    numbers = [nextcloud.world.notes.add("alice", f"Note {number}", "words") for number in range(12)]
    await scanned(accounts.notes(scan_state=scan_state))
    nextcloud.log.clear()
    other = accounts.notes(scan_state=scan_state)
    assert (await other.processor.fetch("note", NativeId(str(numbers[0])))) is not None
    assert asked(nextcloud) == [f"notes/{numbers[0]}"]


@pytest.mark.requirement("boards-descended-only-when-changed")
async def test_cards_are_read_from_the_listing_of_their_board_and_only_what_it_lacks_is_asked_for(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Board").id, "To do")
    plain, said, hung, archived = (deck.card(stack.id, title, "words").id for title in ("one", "two", "three", "four"))
    deck.assign(plain, "bob")
    deck.comment(said, "bob", "a remark")
    deck.attach(hung, "plan.md", file_id=42)
    deck.edit(archived, archived=True)
    board = stack.board.id
    apart = accounts.deck()
    alone = {entry.native_id: await _waiting(apart, entry) for entry in await scanned(apart)}
    nextcloud.log.clear()
    app = accounts.deck()
    together = {entry.native_id: await read(app, entry) for entry in await scanned(app)}
    assert together == alone
    cards = f"boards/{board}/stacks/{stack.id}/cards"
    assert sorted(asked(nextcloud)) == sorted(
        [
            "boards",
            f"boards/{board}/stacks",
            f"boards/{board}/stacks/archived",
            f"cards/{said}/comments?format&limit&offset",
            f"{cards}/{hung}/attachments",
            f"{cards}/{archived}",
        ]
    )


async def _waiting(app: AccountApp, entry: Listed) -> Fetched:
    with foreground():
        return await read(app, entry)


@pytest.mark.requirement("boards-descended-only-when-changed")
async def test_only_the_changed_card_of_a_board_is_returned_in_its_present_state(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Board").id, "To do")
    changed, same = (deck.card(stack.id, title, "old").id for title in ("one", "two"))
    nextcloud.world.clock.jump(LATER)
    app = accounts.deck()
    await scanned(app)
    nextcloud.world.clock.jump(LATER)
    deck.edit(changed, description="new")
    listed = await scanned(app)
    assert "new" in (await read(app, entry_of(listed, changed))).extracted.body
    await read(app, entry_of(listed, same))
    nextcloud.log.clear()
    await read(app, entry_of(listed, changed))
    await read(app, entry_of(listed, same))
    assert len(nextcloud.log) == 2, "each was given out once"
