"""What a Deck says about cards while cards move between boards, and boards fail."""

import pytest
from tests.integration.features.nextcloud.source.test_deck import LATER, fetched, scan
from tests.nextcloud.faults import Status
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState

from citemark.model.documents import Listed
from citemark.model.errors import RetriableSourceError


@pytest.mark.requirement("only-complete-listing-deletes")
@pytest.mark.parametrize("path", ["/boards$", "/stacks$", "/stacks/archived$"])
@pytest.mark.parametrize("body", [b"null", b'{"error": "busy"}', b"{}"])
async def test_a_response_that_is_no_list_says_nothing_about_cards(
    nextcloud: Nextcloud, accounts: AccountsFixture, path: str, body: bytes
) -> None:
    deck = nextcloud.world.deck
    deck.card(deck.stack(deck.board("alice", "Board").id, "To do").id, "A card")
    nextcloud.faults.add(Status(200, body, {"content-type": "application/json"}), on=path)
    with pytest.raises(RetriableSourceError, match="something other than"):
        await scan(accounts.deck())


async def test_a_board_that_cannot_be_listed_hides_no_cards_of_those_before_it(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    deck = nextcloud.world.deck
    boards = [deck.board("alice", name) for name in ("First", "Second")]
    cards = [deck.card(deck.stack(board.id, "To do").id, "A card") for board in boards]
    nextcloud.faults.add(
        Status(200, b"null", {"content-type": "application/json"}), on=f"/boards/{boards[1].id}/stacks$"
    )
    seen: list[str] = []

    async def listed() -> None:
        async for entry in accounts.deck().scanner.scan():
            assert isinstance(entry, Listed)
            seen.append(entry.native_id)

    with pytest.raises(RetriableSourceError, match="the stacks of a board"):
        await listed()
    assert seen == [str(cards[0].id)]


@pytest.mark.parametrize("backwards", [False, True])
async def test_a_moved_card_is_listed_once_with_the_board_that_it_is_on(
    nextcloud: Nextcloud, accounts: AccountsFixture, *, backwards: bool
) -> None:
    deck = nextcloud.world.deck
    boards = [deck.board("alice", "First"), deck.board("alice", "Second")]
    stacks = [deck.stack(board.id, board.title) for board in boards]
    here, there = reversed(stacks) if backwards else stacks
    card = deck.card(here.id, "A card")
    nextcloud.world.clock.jump(LATER)
    app = accounts.deck(scan_state=MemoryScanState())
    await scan(app)
    for change in (lambda: deck.move(card.id, there.id), lambda: deck.edit(card.id, description="Another.")):
        nextcloud.world.clock.jump(LATER)
        change()
        nextcloud.world.clock.jump(LATER)
        entries = [entry async for entry in app.scanner.scan() if isinstance(entry, Listed)]
        read = await fetched(app, card.id)
        assert [entry.version for entry in entries] == [read.version]
        assert read.metadata["Board"] == there.title
