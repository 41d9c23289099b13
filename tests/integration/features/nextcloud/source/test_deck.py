"""Cards of an account against the double."""

from datetime import UTC, datetime

import pytest
from tests.contract.source_contract import Listing, listing
from tests.nextcloud.faults import Status
from tests.nextcloud.server import Nextcloud
from tests.support.markdown import assert_sound
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.account import AccountApp
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.errors import RetriableSourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector

LATER = 60
"""Seconds of the server's clock, so that what a test made is not of the second of its scan."""


async def scan(app: AccountApp) -> Listing:
    return await listing(Connector(app.scanner, app.processor, app.verifier))


async def fetched(app: AccountApp, card: int) -> Fetched:
    found = await app.processor.fetch("deck_card", NativeId(str(card)))
    assert found is not None
    return found


async def verdicts(app: AccountApp, found: Listing) -> dict[int, Verdict]:
    refs = {key: DocumentRef("deck_card", key, entry.version) for key, entry in found.listed.items()}
    answers = await verdicts_of(app.verifier, list(refs.values()))
    return {int(key): answers[ref] for key, ref in refs.items()}


def asked(nextcloud: Nextcloud) -> list[str]:
    return [
        seen.path.removeprefix("/index.php/apps/deck/api/v1.0/") for seen in nextcloud.log.matching("/apps/deck/api")
    ]


@pytest.mark.requirement("boards-descended-only-when-changed")
async def test_boards_in_which_nothing_changed_cost_one_request(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    for number in range(3):
        stack = deck.stack(deck.board("alice", f"Board {number}").id, "To do")
        for card in range(4):
            deck.card(stack.id, f"Card {card}")
    nextcloud.world.clock.jump(LATER)
    scan_state = MemoryScanState()
    first = await scan(accounts.deck(scan_state=scan_state))
    assert first.end.complete
    assert len(first.listed) == 12
    nextcloud.log.clear()
    again = await scan(accounts.deck(scan_state=scan_state))
    assert again.listed == first.listed
    assert [(seen.status, seen.path.rpartition("/")[2]) for seen in nextcloud.log.seen] == [(304, "boards")]
    assert not [seen for seen in nextcloud.log.seen if "if-modified-since" in seen.headers]


@pytest.mark.requirement("boards-descended-only-when-changed")
async def test_only_the_board_with_a_change_is_listed_again(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    deck = nextcloud.world.deck
    stacks = [deck.stack(deck.board("alice", f"Board {number}").id, "To do") for number in range(3)]
    cards = [deck.card(stack.id, "A card").id for stack in stacks]
    nextcloud.world.clock.jump(LATER)
    scan_state = MemoryScanState()
    first = await scan(accounts.deck(scan_state=scan_state))
    nextcloud.world.clock.jump(LATER)
    deck.edit(cards[1], description="changed")
    nextcloud.log.clear()
    second = await scan(accounts.deck(scan_state=scan_state))
    assert {key for key in second.listed if second.listed[key] != first.listed[key]} == {str(cards[1])}
    board = stacks[1].board.id
    assert sorted(asked(nextcloud)) == ["boards", f"boards/{board}/stacks", f"boards/{board}/stacks/archived"]


@pytest.mark.requirement("boards-descended-only-when-changed")
async def test_two_edits_within_one_second_are_distinguished(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    deck = nextcloud.world.deck
    card = deck.card(deck.stack(deck.board("alice", "Board").id, "To do").id, "A card", "first")
    scan_state = MemoryScanState()
    first = await scan(accounts.deck(scan_state=scan_state))
    card.description = "second"
    app = accounts.deck(scan_state=scan_state)
    second = await scan(app)
    assert second.listed[NativeId(str(card.id))].modified_at == first.listed[NativeId(str(card.id))].modified_at
    assert second.listed != first.listed
    assert await verdicts(app, first) == {card.id: Verdict.CHANGED}
    assert await verdicts(app, second) == {card.id: Verdict.OK}


async def test_deleted_boards_and_cards_are_left_out_and_archived_cards_are_not(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Board").id, "To do")
    kept, archived, deleted = (deck.card(stack.id, title).id for title in ("kept", "archived", "deleted"))
    deck.edit(archived, archived=True)
    deck.delete(deleted)
    gone = deck.board("alice", "Gone")
    deck.card(deck.stack(gone.id, "To do").id, "on a deleted board")
    deck.delete_board(gone.id)
    app = accounts.deck()
    found = await scan(app)
    assert found.end.complete
    assert set(found.listed) == {str(kept), str(archived)}
    read = await fetched(app, archived)
    assert read.metadata["State"] == "open\narchived"
    assert read.version == found.listed[NativeId(str(archived))].version


@pytest.mark.requirement("each-type-has-readable-text")
@pytest.mark.requirement("each-document-has-a-web-address")
@pytest.mark.requirement("dates-labels-categories-filter")
async def test_a_card_reads_as_its_text_its_place_and_its_comments(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    board = deck.board("alice", "Heron delivery")
    stack = deck.stack(board.id, "To do")
    card = deck.card(
        stack.id, "Ask  the vendor", "Stable *record* ids.\n\n## Why\n\nSee below.", duedate="2026-11-26T16:00:00+00:00"
    )
    for label in ("legal", "blocked"):
        deck.put_label(card.id, deck.label(board.id, label).id)
    deck.assign(card.id, "bob")
    deck.comment(card.id, "alice", "No answer.\n# Not a heading")
    deck.comment(card.id, "bob", "Try again.")
    deck.attach(card.id, "Letter.pdf")
    app = accounts.deck()
    await scan(app)
    read = await fetched(app, card.id)
    found = await scan(app)  # a listing does not have the names of attachments, but those that were read
    said = f"{datetime.fromtimestamp(card.comments[0].created, UTC):%Y-%m-%d %H:%M} UTC"
    names = nextcloud.world.accounts.people
    assert read.version == found.listed[NativeId(str(card.id))].version
    assert read.url == f"{nextcloud.url}/index.php/apps/deck/board/{board.id}/card/{card.id}"
    assert read.extracted.title == "Ask the vendor"
    assert read.extracted.tags == ("blocked", "legal")
    alice, bob = names["alice"].name, names["bob"].name
    assert read.extracted.body == (
        "# Ask the vendor\n\n- Board: Heron delivery\n- Stack: To do\n- Labels: blocked, legal\n"
        f"- Due: Thursday, 26 November 2026, 16:00 UTC\n- Assigned to: {bob}\n\n"
        "Stable *record* ids.\n\n## Why\n\nSee below.\n\n## Attachments\n\n- Letter.pdf\n\n## Comments\n\n"
        f"{alice}, {said}:\n\n> No answer.\n> # Not a heading\n\n{bob}, {said}:\n\n> Try again.\n"
    )
    assert [section.title for section in read.extracted.sections] == [
        "Ask the vendor",
        "Why",
        "Attachments",
        "Comments",
    ]
    assert dict(read.metadata) == {
        "Board": "Heron delivery",
        "Stack": "To do",
        "Labels": "blocked\nlegal",
        "Due": "2026-11-26T16:00:00+00:00",
        "State": "open",
        "Assigned": bob,
    }
    assert_sound(read.extracted)


@pytest.mark.parametrize(
    "description",
    [
        "```python\nleft open",
        "~~~~\nleft open",
        "<!-- left open",
        "> ```\n> left open",
        "- a\n  ```\n  left open",
        "---\nt: x\n---",
        "<pre>left open",
        "Words.\n\n<SCRIPT>\nleft open",
        "<textarea>\n\nleft open",
        "<?php left open",
        "<![CDATA[ left open",
        "<!DOCTYPE left open",
        "<div>\nleft open",
    ],
)
async def test_a_description_cannot_swallow_what_follows_it(
    nextcloud: Nextcloud, accounts: AccountsFixture, description: str
) -> None:
    deck = nextcloud.world.deck
    card = deck.card(deck.stack(deck.board("alice", "Board").id, "To do").id, "A card", description)
    deck.comment(card.id, "bob", "```\nleft open too")
    deck.comment(card.id, "bob", "The last word")
    read = await fetched(accounts.deck(), card.id)
    assert description in read.extracted.body
    assert read.extracted.title == "A card"
    assert read.extracted.sections[-1].title == "Comments"
    assert read.extracted.sections[-1].span.of(read.extracted.body).endswith("> The last word")
    assert_sound(read.extracted)


async def test_right_to_left_text_stays_as_it_was_written(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "لوحة").id, "للتنفيذ")
    card = deck.card(stack.id, "اتصل بالمورد \u200fABC", "نص عربي مع 123")
    app = accounts.deck()
    read = await fetched(app, card.id)
    assert read.extracted.title == "اتصل بالمورد \u200fABC"
    assert "نص عربي مع 123" in read.extracted.body
    assert read.metadata["Board"] == "لوحة"


async def test_a_card_without_a_title_is_still_one(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    deck = nextcloud.world.deck
    card = deck.card(deck.stack(deck.board("alice", "").id, "").id, " \n ")
    read = await fetched(accounts.deck(), card.id)
    assert read.extracted.title == "Card without a title"
    assert_sound(read.extracted)


@pytest.mark.requirement("links-between-apps-are-relationships")
async def test_assignees_attached_files_and_links_are_relationships(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Board").id, "To do")
    other = deck.card(stack.id, "Other")
    text = f"See {nextcloud.url}/apps/deck/board/{stack.board.id}/card/{other.id} and {nextcloud.url}/index.php/f/77."
    card = deck.card(stack.id, "A card", text)
    deck.assign(card.id, "bob")
    deck.attach(card.id, "plan.md", file_id=42)
    read = await fetched(accounts.deck(), card.id)
    assert [(one.type, one.to_native_id, one.to_url, dict(one.metadata)) for one in read.relationships] == [
        ("links_to", str(other.id), None, {"doc_type": "deck_card"}),
        ("links_to", "77", None, {"doc_type": "file"}),
        (
            "assigned_to",
            None,
            f"{nextcloud.url}/index.php/u/bob",
            {"name": nextcloud.world.accounts.people["bob"].name},
        ),
        ("attaches", "42", None, {"doc_type": "file", "name": "plan.md"}),
    ]


@pytest.mark.requirement("old-attachment-names-not-shown")
async def test_a_file_renamed_in_files_is_not_shown_by_its_old_name_on_its_card(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    board = deck.board("alice", "Board")
    card = deck.card(deck.stack(board.id, "To do").id, "A card")
    plain = deck.card(deck.stack(board.id, "Done").id, "Another")
    file = deck.attach(card.id, "plan.md", file_id=42)
    nextcloud.world.clock.jump(LATER)
    scan_state = MemoryScanState()
    app = accounts.deck(scan_state=scan_state)
    await scan(app)
    read = await fetched(app, card.id)
    assert "- plan.md" in read.extracted.body
    same = await scan(accounts.deck(scan_state=scan_state))
    assert same.listed[NativeId(str(card.id))].version == read.version, "it is not read again"
    assert await verdicts(app, same) == {card.id: Verdict.OK, plain.id: Verdict.OK}
    file.name = "secret takeover.md"
    assert await verdicts(app, same) == {card.id: Verdict.CHANGED, plain.id: Verdict.OK}
    assert "- secret takeover.md" in (await fetched(app, card.id)).extracted.body
    after = await scan(accounts.deck(scan_state=scan_state))
    assert await verdicts(app, after) == {card.id: Verdict.OK, plain.id: Verdict.OK}
    card_now = deck.cards[card.id]
    card_now.attachments.clear()
    assert (await verdicts(app, after))[card.id] is Verdict.CHANGED
    assert "Attachments" not in (await fetched(app, card.id)).extracted.body


@pytest.mark.requirement("old-attachment-names-not-shown")
async def test_a_deleted_attachment_is_not_read(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    deck = nextcloud.world.deck
    card = deck.card(deck.stack(deck.board("alice", "Board").id, "To do").id, "A card")
    deck.attach(card.id, "old.md", b"x").deleted = nextcloud.world.clock.seconds()
    deck.attach(card.id, "plan.md", file_id=42)
    body = (await fetched(accounts.deck(), card.id)).extracted.body
    assert ("old.md" in body, "- plan.md" in body) == (False, True)


async def test_all_comments_of_a_long_discussion_are_read(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    deck = nextcloud.world.deck
    card = deck.card(deck.stack(deck.board("alice", "Board").id, "To do").id, "A card")
    for number in range(450):
        deck.comment(card.id, "bob", f"remark {number}")
    body = (await fetched(accounts.deck(), card.id)).extracted.body
    assert body.index("> remark 0\n") < body.index("> remark 200\n") < body.index("> remark 449\n")


async def test_a_moved_card_and_renamed_places_are_listed_again(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    first, second = deck.board("alice", "First"), deck.board("alice", "Second")
    here, there = deck.stack(first.id, "Here"), deck.stack(second.id, "There")
    card = deck.card(here.id, "A card")
    nextcloud.world.clock.jump(LATER)
    scan_state = MemoryScanState()
    app = accounts.deck(scan_state=scan_state)
    before = (await scan(app)).listed
    assert (await fetched(app, card.id)).version == before[NativeId(str(card.id))].version
    nextcloud.world.clock.jump(LATER)
    deck.move(card.id, there.id)
    read = await fetched(app, card.id)
    assert (read.metadata["Board"], read.metadata["Stack"]) == ("Second", "There")
    moved = (await scan(accounts.deck(scan_state=scan_state))).listed
    assert moved.keys() == before.keys()
    assert moved != before
    assert read.version == moved[NativeId(str(card.id))].version
    nextcloud.world.clock.jump(LATER)
    second.title = "Called otherwise"
    second.last_modified = nextcloud.world.clock.seconds()
    renamed = await scan(app)
    assert renamed.listed != moved
    assert (await fetched(app, card.id)).metadata["Board"] == "Called otherwise"
    assert await verdicts(app, renamed) == {card.id: Verdict.OK}


@pytest.mark.requirement("types-verified-in-batches")
async def test_edits_deletions_and_unshares_are_reported_in_one_round(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    shared, taken = deck.board("alice", "Shared"), deck.board("alice", "Taken")
    for board in (shared, taken):
        deck.share(board.id, "bob")
    stack = deck.stack(shared.id, "To do")
    kept, edited, deleted, said = (deck.card(stack.id, title).id for title in ("kept", "edited", "deleted", "said"))
    lost = deck.card(deck.stack(taken.id, "To do").id, "lost").id
    app = accounts.deck("bob")
    found = await scan(app)
    deck.edit(edited, title="another")
    deck.comment(said, "alice", "new")
    deck.delete(deleted)
    deck.unshare(taken.id, "bob")
    nextcloud.log.clear()
    assert await verdicts(app, found) == {
        kept: Verdict.OK,
        edited: Verdict.CHANGED,
        said: Verdict.CHANGED,
        deleted: Verdict.GONE,
        lost: Verdict.GONE,
    }
    assert len(nextcloud.log) == 5 + 1 + 2, "the cards, the list of boards, and the board that changed"
    assert set((await scan(app)).listed) == {str(kept), str(edited), str(said)}


@pytest.mark.requirement("types-verified-in-batches")
async def test_ten_cards_are_verified_in_one_parallel_round(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Board").id, "To do")
    for number in range(10):
        deck.card(stack.id, f"Card {number}")
    scan_state = MemoryScanState()
    found = await scan(accounts.deck(scan_state=scan_state))
    app = accounts.deck(scan_state=scan_state)
    nextcloud.log.clear()
    nextcloud.answers_together(9, before=1)  # a new client proves its password with one
    assert set((await verdicts(app, found)).values()) == {Verdict.OK}
    assert len(nextcloud.log) == 10 + 1 + 2, "the cards, the list of boards, and the board that has just changed"


async def test_a_card_that_cannot_be_verified_leaves_the_others_their_verdict(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Board").id, "To do")
    one, two = (deck.card(stack.id, title).id for title in ("one", "two"))
    app = accounts.deck()
    found = await scan(app)
    nextcloud.faults.add(Status(500), on=f"/cards/{one}", times=9)
    assert await verdicts(app, found) == {one: Verdict.UNKNOWN, two: Verdict.OK}


async def test_a_board_that_cannot_be_listed_ends_the_scan_without_any_deletion(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    boards = [deck.board("alice", title) for title in ("one", "two")]
    for board in boards:
        deck.card(deck.stack(board.id, "To do").id, "A card")
    nextcloud.world.clock.jump(LATER)
    scan_state = MemoryScanState()
    nextcloud.faults.add(Status(500), on=f"/boards/{boards[1].id}/stacks", times=9)
    with pytest.raises(RetriableSourceError):
        await scan(accounts.deck(scan_state=scan_state))
    nextcloud.faults.clear()
    nextcloud.log.clear()
    assert len((await scan(accounts.deck(scan_state=scan_state))).listed) == 2
    assert not [path for path in asked(nextcloud) if path.startswith(f"boards/{boards[0].id}/")]


@pytest.mark.requirement("very-long-notes-and-boards-indexed")
async def test_a_board_with_ten_thousand_cards_is_listed_from_two_requests(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    stack = deck.stack(deck.board("alice", "Everything").id, "Backlog")
    for number in range(10_000):
        deck.card(stack.id, f"Card {number}", "What there is to say of it. " * 10)
    nextcloud.world.clock.jump(LATER)
    scan_state = MemoryScanState()
    first = await scan(accounts.deck(scan_state=scan_state))
    assert len(first.listed) == 10_000
    assert len(asked(nextcloud)) == 3
    app = accounts.deck(scan_state=scan_state)
    again = await scan(app)
    assert again.listed == first.listed
    assert len(asked(nextcloud)) == 4
    assert (await fetched(app, 5_000)).version == again.listed[NativeId("5000")].version
