"""Random user actions: a scan that remembers lists what one without memory lists, and what exists."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contract.source_contract import Listing, listing
from tests.nextcloud.files.tree import Denied, Missing
from tests.nextcloud.server import Nextcloud
from tests.nextcloud.world import World
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.verdicts import verdicts_of

from citemark.features.nextcloud.source.account import AccountApp
from citemark.model.documents import DocumentRef, Verdict
from citemark.sources.contract import Connector

FOLDERS = ("/", "/a", "/a/b", "/a/b/c", "/d", "/Notes")
NAMES = ("one.md", "two.md", "ü #%.md", "picture.png")

paths = st.sampled_from([f"{folder.rstrip('/')}/{name}" for folder in FOLDERS for name in NAMES])
places = st.one_of(paths, st.sampled_from(FOLDERS[1:]))
people = st.sampled_from(("alice", "bob"))
file_steps = st.one_of(
    st.tuples(st.just("put"), people, paths, st.sampled_from(("old", "new"))),
    st.tuples(st.just("folder"), people, st.sampled_from(FOLDERS[1:])),
    st.tuples(st.just("move"), people, places, places),
    st.tuples(st.just("copy"), people, places, places),
    st.tuples(st.just("delete"), people, places),
    st.tuples(st.just("restore"), people, places),
    st.tuples(st.just("share"), st.just("bob"), places, st.just("alice")),
    st.tuples(st.just("unshare_with"), st.just("bob"), places, st.just("alice")),
)


@pytest.fixture(scope="module")
def server() -> Generator[Nextcloud, None, None]:
    with Nextcloud() as running:
        yield running


@asynccontextmanager
async def office_of(server: Nextcloud) -> AsyncGenerator[AccountsFixture]:
    """Accounts of a server on which nothing has happened yet."""
    server.world = server.app.world = World()
    made = AccountsFixture(server)
    try:
        yield made
    finally:
        await made.close()


async def scan(app: AccountApp) -> Listing:
    found = await listing(Connector(app.scanner, app.processor, app.verifier))
    assert found.end.complete
    return found


async def assert_vouched(app: AccountApp, found: Listing) -> None:
    refs = [DocumentRef(entry.doc_type, entry.native_id, entry.version) for entry in found.listed.values()]
    assert set((await verdicts_of(app.verifier, refs)).values()) <= {Verdict.OK}


def files_of(world: World) -> dict[str, set[str]]:
    """The paths at which alice sees each file that is a document."""
    seen: dict[str, set[str]] = {}
    for place in world.files.tree.walk(world.files.tree.locate("alice", "/")):
        if place.path.endswith(".md") and not place.path.startswith("/Notes/") and not place.node.is_folder:
            seen.setdefault(str(place.node.id), set()).add(place.path.strip("/"))
    return seen


@pytest.mark.requirement("folders-descended-only-when-changed")
@settings(max_examples=5)
@given(steps=st.lists(st.tuples(file_steps, st.booleans()), min_size=3, max_size=14))
def test_files_are_what_the_account_holds_after_any_history(
    server: Nextcloud, steps: list[tuple[tuple[Any, ...], bool]]
) -> None:
    async def run() -> None:
        async with office_of(server) as accounts:
            kept = accounts.files(scan_state=MemoryScanState())
            for (name, *arguments), looks in [*steps, (("folder", "alice", "/a"), True)]:
                if not _is_into_itself(name, arguments):
                    with suppress(Missing, Denied, StopIteration):
                        getattr(server.world.files, name)(*arguments)
                if looks:
                    found = await scan(kept)
                    fresh = accounts.files()
                    assert found.listed == (await scan(fresh)).listed
                    held = files_of(server.world)
                    assert set(found.listed) == set(held)
                    await assert_vouched(fresh, found)
                    for native_id, where in held.items():
                        read = await kept.processor.fetch("file", found.listed[native_id].native_id)  # type: ignore[index]
                        assert read is not None
                        assert read.metadata["Path"] in where
                        assert read.version == found.listed[read.native_id].version

    asyncio.run(run())


def _is_into_itself(name: str, arguments: list[str]) -> bool:
    """What every server refuses: a folder into itself, or onto something that is there."""
    return name in {"move", "copy"} and (arguments[2] + "/").startswith(arguments[1] + "/")


card_steps = st.tuples(
    st.sampled_from(
        (
            "card",
            "edit",
            "comment",
            "delete",
            "undelete",
            "archive",
            "move",
            "label",
            "rename",
            "share",
            "unshare",
            "end",
        )
    ),
    st.integers(0, 3),
    st.integers(0, 3),
)


def _card_step(world: World, cards: list[int], stacks: list[int], step: tuple[str, int, int]) -> None:
    """One change by somebody; what it names is picked from what there is."""
    name, one, two = step
    deck = world.deck
    stack = stacks[one % len(stacks)]
    board = deck.stack_of(stack).board
    card = cards[one % len(cards)]
    acts: dict[str, Callable[[], object]] = {
        "card": lambda: cards.append(deck.card(stack, f"Card {len(cards)}", "text").id),
        "edit": lambda: deck.edit(card, description=f"text {two}"),
        "comment": lambda: deck.comment(card, "bob", f"said {two}"),
        "delete": lambda: deck.delete(card),
        "undelete": lambda: deck.undelete(card),
        "archive": lambda: deck.edit(card, archived=two % 2 == 0),
        "move": lambda: deck.move(card, stacks[two % len(stacks)]),
        "label": lambda: deck.put_label(card, deck.label(deck.cards[card].stack.board.id, f"label {two}").id),
        "rename": lambda: _rename(world, board.id, f"Board {two}"),
        "share": lambda: deck.share(board.id, "alice"),
        "unshare": lambda: deck.unshare(board.id, "alice"),
        "end": lambda: deck.delete_board(board.id) if two == 0 else None,
    }
    acts[name]()


def _rename(world: World, board: int, title: str) -> None:
    world.deck.boards[board].title = title
    world.deck.boards[board].last_modified = world.clock.seconds()


@pytest.mark.requirement("boards-descended-only-when-changed")
@settings(max_examples=6)
@given(steps=st.lists(st.tuples(card_steps, st.sampled_from((0, 0, 1, 5)), st.booleans()), min_size=3, max_size=16))
def test_cards_are_what_the_boards_hold_after_any_history(
    server: Nextcloud, steps: list[tuple[tuple[str, int, int], int, bool]]
) -> None:
    async def run() -> None:
        async with office_of(server) as accounts:
            world = server.world
            stacks = [world.deck.stack(world.deck.board(user, user).id, title).id for user, title in
                      (("alice", "To do"), ("alice", "Done"), ("bob", "To do"))]  # fmt: skip
            cards = [world.deck.card(stack, "First").id for stack in stacks]
            scan_state = MemoryScanState()
            kept = accounts.deck(scan_state=scan_state)
            for step, seconds, looks in [*steps, (("card", 0, 0), 5, True)]:
                world.clock.jump(seconds)
                _card_step(world, cards, stacks, step)
                if looks:
                    found = await scan(kept)
                    fresh = accounts.deck()
                    assert found.listed == (await scan(fresh)).listed
                    boards = [board for board in world.deck.boards_of("alice") if not board.deleted]
                    assert set(found.listed) == {
                        str(card.id) for board in boards for card in board.cards() if not card.deleted
                    }
                    await assert_vouched(fresh, found)
                    for entry in found.listed.values():
                        read = await kept.processor.fetch("deck_card", entry.native_id)
                        assert read is not None
                        assert read.version == entry.version

    asyncio.run(run())
