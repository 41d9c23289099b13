"""What clients are told when they connect: the sources and their languages, kept true."""

from dataclasses import replace

import pytest
from mcp import Client
from tests.support.groups import catalog
from tests.unit.tools.double import DoubleServices

from citemark.model.scope import READ, Principal
from citemark.model.source_labels import LONGEST_NOTE
from citemark.services.bundle import Services
from citemark.services.requests import Caller
from citemark.settings import Settings
from citemark.tools.index_contents import IndexContents, NamedSource
from citemark.tools.instructions import instructions_for
from citemark.tools.server import build_server
from citemark.tools.tool_catalog import ToolCatalog

GUIDE = NamedSource("guide", "docs", ("english", "german"))
CLOUD = NamedSource("cloud", "nextcloud", ("german",))


async def provide() -> Services:
    return DoubleServices()


async def told(offer: ToolCatalog, caller: Caller | None = None, **settings: bool) -> str:
    server = build_server(provide, Settings(**settings), caller or Caller.local(), offer)  # pyright: ignore[reportArgumentType]
    return await told_by(server)


async def told_by(server: object) -> str:
    async with Client(server) as client:  # pyright: ignore[reportArgumentType]
        return client.instructions or ""


@pytest.mark.requirement("instructions-name-sources-and-languages")
async def test_sources_are_named_with_their_languages_and_tools_as_they_are_listed() -> None:
    words = await told(catalog(sources=(CLOUD, GUIDE)))
    assert "Sources: cloud (nextcloud, in German); guide (docs, in English, German)." in words
    assert "kb_list_sources" in words
    assert "kb.list_sources" not in words


@pytest.mark.requirement("instructions-name-sources-and-languages")
async def test_instructions_stay_true_while_a_server_runs() -> None:
    offer = catalog(sources=(GUIDE,))
    server = build_server(provide, Settings(), Caller.local(), offer)
    assert "cloud" not in await told_by(server)
    await offer.put(IndexContents(sources=(CLOUD, GUIDE)))
    assert "cloud (nextcloud, in German)" in await told_by(server)
    await offer.put(IndexContents(sources=()))
    assert "There are no sources yet" in await told_by(server)


@pytest.mark.requirement("instructions-name-sources-and-languages")
async def test_names_are_shown_only_to_the_person_at_this_machine() -> None:
    bob = Caller.of(Principal("local", "bob", frozenset({READ})))
    noted = replace(GUIDE, about="Rules of the works.")
    words = await told(catalog(sources=(noted,)), bob)
    assert "guide" not in words
    assert "Rules" not in words
    assert "Sources" not in await told(catalog())
    assert not await told(catalog(sources=(GUIDE,)), kb_v2_enabled=False)


@pytest.mark.requirement("instructions-weigh-600-bytes")
@pytest.mark.parametrize("letter", ["x", "ж", "字"])
@pytest.mark.parametrize("number", [1, 2, 7, 200])
def test_instructions_weigh_600_bytes_at_most_and_count_the_sources_that_have_no_room(letter: str, number: int) -> None:
    many = [NamedSource(f"{at:03}" + letter * 200, "docs", ("a", "b", "c", "d", "e")) for at in range(number)]
    words = instructions_for(many)
    assert len(words.encode()) <= 600
    shown = words.count("(docs, in A, B, C, others)")
    assert (f"and {number - shown} more." in words) is (0 < shown < number)
    assert (f"Sources: {number} of them." in words) is (shown == 0)
    assert "kb.list_sources" in words


@pytest.mark.requirement("instructions-weigh-600-bytes")
def test_instructions_without_sources_weigh_600_bytes_at_most() -> None:
    assert max(len((instructions_for(sources)).encode()) for sources in (None, ())) <= 600


@pytest.mark.requirement("sources-carry-a-note")
async def test_notes_of_the_owner_are_told_as_the_owners_words_with_what_nobody_sees_spelled_out() -> None:
    noted = replace(GUIDE, about="Rules of the works; ask them\u202e first.")
    before, _, after = (await told(catalog(sources=(CLOUD, noted)))).partition("\n")
    assert before == (await told(catalog(sources=(CLOUD, GUIDE))))
    assert after == (
        "Words of the owner of this index about sources:\n- guide: Rules of the works; ask them<U+202E> first."
    )


@pytest.mark.requirement("sources-carry-a-note")
@pytest.mark.parametrize("letter", ["x", "字", "\U000e0041"])
def test_notes_that_have_no_room_are_counted_and_the_longest_two_have_room(letter: str) -> None:
    sources = [NamedSource(f"{at:03}" + "n" * 200, "docs", about=letter * LONGEST_NOTE) for at in range(9)]
    begin, _, notes = instructions_for(sources).partition("\nWords of the owner of this index about sources:\n")
    shown = notes.count("\n")
    assert len(begin.encode()) <= 600
    assert len(notes) <= 800
    assert shown == (0 if letter == "\U000e0041" else 2)
    assert notes.endswith(f"{9 - shown} more: kb.list_sources.")
