"""Notes: what a scan asks for, what a note becomes, who may open it."""

import json

import pytest
from tests.contract.source_contract import listing
from tests.nextcloud.faults import Busy, Html, Instead
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.nextcloud_client import client_of
from tests.support.verdicts import verdicts_of

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.features.nextcloud.source.notes.app import notes_app
from citemark.features.nextcloud.source.notes.listing import WHOLE_EVERY
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import RetriableSourceError
from citemark.model.ids import NativeId, Version
from citemark.remote.connections import HttpRequest
from citemark.sources.contract import Connector, foreground


async def versions(app: AccountApp) -> dict[str, str]:
    found = await listing(Connector(app.scanner, app.processor, app.verifier))
    assert found.end.complete
    return {native_id: entry.version for native_id, entry in found.listed.items()}


def lists(nextcloud: Nextcloud) -> list[int]:
    return [seen.status for seen in nextcloud.log.matching(r"GET .*/notes\?")]


@pytest.mark.requirement("notes-listed-by-etag")
async def test_an_unchanged_list_is_answered_by_its_etag_and_a_changed_one_by_what_changed(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes, app = nextcloud.world.notes, accounts.notes()
    numbers = [notes.add("alice", f"Note {number}", "words", modified=1_700_000_000) for number in range(40)]
    first = await versions(app)
    nextcloud.world.clock.jump(60)
    await versions(app)
    await versions(app)
    nextcloud.log.clear()
    assert await versions(app) == first
    assert lists(nextcloud) == [304]
    notes.edit("alice", numbers[7], content="other words", modified=1_600_000_000)
    notes.delete("alice", numbers[8])
    after = await versions(app)
    assert after.keys() == first.keys() - {str(numbers[8])}
    assert {key for key in after if after[key] != first[key]} == {str(numbers[7])}
    assert len(nextcloud.log) == 2


async def test_a_note_without_an_etag_is_reported_and_the_others_listed(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    rows = [{"id": 7, "etag": "e", "modified": 1}, {"id": 8, "modified": 1}, {"id": 10, "etag": "", "modified": 1}]
    answer = 200, {"Content-Type": "application/json"}, json.dumps(rows).encode()
    nextcloud.faults.add(Instead(lambda _: answer), "/apps/notes.*exclude")
    app = accounts.notes()
    for _ in range(2):
        found = await listing(Connector(app.scanner, app.processor, app.verifier))
        assert list(found.listed) == ["7"]
        assert [(each.native_id, "without an etag" in each.message) for each in found.problems] == [
            ("8", True),
            ("10", True),
        ]
        assert found.end.complete


@pytest.mark.requirement("notes-listed-by-etag")
async def test_a_server_whose_clock_went_back_is_listed_in_full(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes, app = nextcloud.world.notes, accounts.notes()
    number = notes.add("alice", "Note", "words")
    first = await versions(app)
    nextcloud.world.clock.jump(-7200)
    notes.edit("alice", number, content="written while the clock was wrong")
    assert await versions(app) != first


async def test_a_change_without_a_new_modification_time_is_found_by_an_occasional_full_listing(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes, app = nextcloud.world.notes, accounts.notes()
    number = notes.add("alice", "Note", "words")
    first = await versions(app)
    nextcloud.world.clock.jump(-7200)
    notes.edit("alice", number, content="written while the clock was wrong")
    async with client_of(nextcloud) as other:
        await other.send(HttpRequest("GET", "/index.php/apps/notes/api/v1/notes"))
    nextcloud.world.clock.jump(7300)
    for _ in range(WHOLE_EVERY + 1):
        if await versions(app) != first:
            break
    else:
        pytest.fail("the change was never seen")


async def test_a_list_that_names_notes_missing_from_the_cache_is_requested_in_full(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    scan_state = MemoryScanState()
    app = accounts.notes(scan_state=scan_state)
    number = nextcloud.world.notes.add("alice", "Note", "words")
    first = await versions(app)
    scan_state.values["notes"] = scan_state.values["notes"].replace(f'["{number}"', '["999999"')
    nextcloud.world.clock.jump(60)
    assert await versions(app) == first
    scan_state.values["notes"] = '{"notes": 7}'
    assert await versions(app) == first


async def test_a_note_has_its_title_category_path_and_address(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    notes, app = nextcloud.world.notes, accounts.notes()
    target = notes.add("alice", "Kickoff", "We met.")
    link = f"[minutes]({nextcloud.url}/apps/notes/note/{target})"
    number = notes.add("alice", "Risks", f"# Risks of Heron\r\n\r\nSee {link}.", "Work/Heron")
    notes.edit("alice", number, favourite=True)
    fetched = await app.processor.fetch("note", NativeId(str(number)))
    assert fetched is not None
    assert fetched.url == f"{nextcloud.url}/index.php/apps/notes/note/{number}"
    assert fetched.extracted.title == "Risks"
    assert fetched.extracted.body.startswith("# Risks of Heron\n\nSee [minutes]")
    assert fetched.metadata == {"category": "Work/Heron", "Path": "Notes/Work/Heron/Risks.md", "Labels": "favourite"}
    (stated,) = fetched.relationships
    assert (stated.to_native_id, stated.metadata["doc_type"]) == (str(target), "note")


async def test_a_note_without_words_is_found_by_its_title(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    number = nextcloud.world.notes.add("alice", "Call Priya", "")
    fetched = await accounts.notes().processor.fetch("note", NativeId(str(number)))
    assert fetched is not None
    assert "Call Priya" in fetched.extracted.body


@pytest.mark.requirement("very-long-notes-and-boards-indexed")
async def test_a_note_of_fifty_thousand_lines_is_read_whole(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    text = "".join(f"- line {number} of a long list\n" for number in range(50_000))
    number = nextcloud.world.notes.add("alice", "Long", text)
    fetched = await accounts.notes().processor.fetch("note", NativeId(str(number)))
    assert fetched is not None
    assert fetched.extracted.body == text


async def test_another_account_sees_a_shared_note_under_its_own_etag_until_it_is_unshared(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes = nextcloud.world.notes
    number = notes.add("alice", "Shared", "words")
    notes.share("alice", number, "bob")
    mine, theirs = await versions(accounts.notes()), await versions(accounts.notes("bob"))
    assert mine.keys() == theirs.keys() == {str(number)}
    ref = DocumentRef("note", NativeId(str(number)), Version(theirs[str(number)]))
    bob = accounts.notes("bob")
    assert await verdicts_of(bob.verifier, [ref]) == {ref: Verdict.OK}
    notes.unshare("alice", number, "bob")
    assert await verdicts_of(bob.verifier, [ref]) == {ref: Verdict.GONE}
    assert await accounts.notes("carol").processor.fetch("note", NativeId(str(number))) is None


@pytest.mark.requirement("failed-verification-shows-nothing")
async def test_a_web_page_from_a_proxy_leaves_the_state_of_a_note_unknown(
    nextcloud: Nextcloud, parsers: ParserPool
) -> None:
    number = nextcloud.world.notes.add("alice", "Note", "words")
    async with client_of(nextcloud) as client:
        account = Account(nextcloud.url, "alice", "alice", FileRules())
        app = notes_app(client, account, MemoryScanState(), parsers)
        ref = DocumentRef("note", NativeId(str(number)), Version((await versions(app))[str(number)]))
        nextcloud.faults.add(Html())
        assert await verdicts_of(app.verifier, [ref]) == {ref: Verdict.UNKNOWN}
        with pytest.raises(RetriableSourceError, match="web page"):
            await app.processor.fetch("note", ref.native_id)


@pytest.mark.requirement("wikilinks-are-edges")
async def test_wikilinks_of_notes_lead_to_the_notes_that_their_names_mean(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes, app = nextcloud.world.notes, accounts.notes()
    plan = notes.add("alice", "Plan", "# Plan\n\n## Costs of tea\n\nNine.", "Work")
    other = notes.add("alice", "Plan", "words", "Home/Garden")
    named = notes.add("alice", "Kettle", "---\naliases: [Boiler]\n---\nwords")
    words = "[[Plan]], [[plan#Costs of tea|costs]], [[Garden/Plan]], [[Boiler]], ![[cup.png]], [[Nowhere]], [[#Here]]"
    linking = notes.add("alice", "Links", f"# Here\n\n{words}", "Work")
    await versions(app)
    fetched = await app.processor.fetch("note", NativeId(str(linking)))
    assert fetched is not None
    found = [stated.to_native_id for stated in fetched.relationships]
    assert found == [str(plan), f"{plan}#costs-of-tea", str(other), str(named), "Nowhere", f"{linking}#here"]
    assert all(stated.metadata == {"doc_type": "note"} for stated in fetched.relationships)


@pytest.mark.requirement("locked-folder-asked-one-by-one")
async def test_notes_of_a_locked_folder_wait_their_turn_while_those_of_another_do_not(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    notes, app = nextcloud.world.notes, accounts.notes()
    locked = [notes.add("alice", f"Locked {number}", "words", "Locked") for number in range(12)]
    for number in range(12):
        notes.add("alice", f"Free {number}", "words", "Free")
    etags = await versions(app)
    refs = [DocumentRef("note", NativeId(one), Version(etag)) for one, etag in etags.items()]
    of_locked = rf"/notes/({'|'.join(map(str, locked))})\b"
    nextcloud.faults.add(Busy(1), on=of_locked)
    nextcloud.latency = 0.02
    nextcloud.log.clear()
    with foreground():
        assert set((await verdicts_of(app.verifier, refs)).values()) == {Verdict.OK}
        refused = [seen for seen in nextcloud.log.matching(of_locked) if seen.status == 423]
        assert 0 < len(refused) < len(locked)
        nextcloud.log.clear()
        assert set((await verdicts_of(app.verifier, refs)).values()) == {Verdict.OK}
    asked = nextcloud.log.seen
    assert [seen.status for seen in asked] == [304] * len(refs)
    nextcloud.log.seen = nextcloud.log.matching(of_locked)
    assert nextcloud.log.most_at_once() == 1
    nextcloud.log.seen = [seen for seen in asked if seen not in nextcloud.log.seen]
    assert nextcloud.log.most_at_once() > 1
