"""What mailboxes do that no other source does: flags, threads, copies, locks."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.contract.source_contract import Listing, listing, verdict
from tests.support.mailboxes import deliver, mail, maildir, mbox
from tests.support.patience import HANG_SECONDS

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.maildir.connector import maildir_connector
from citemark.features.maildir.kind import MAILDIR_KIND
from citemark.features.maildir.mails import ANSWERS, MAIL
from citemark.features.maildir.watcher import relevant
from citemark.model.documents import Fetched, TooLarge, Verdict
from citemark.model.errors import ConfigurationError, FatalSourceError, InvalidArgument, SkippableSourceError
from citemark.model.ids import NativeId, SourceId
from citemark.model.sources import Source
from citemark.sources.contract import Connector

_MOST = 100_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return maildir(tmp_path / "mails")


def connect(root: Path, parsers: ParserPool | None = None) -> Connector:
    """A connector; one of a test that fetches is given parsers, which that test closes."""
    return maildir_connector({"path": str(root)}, parsers or ParserPool(), max_file_bytes=_MOST)


async def fetched(connector: Connector, native_id: NativeId) -> Fetched:
    found = await connector.processor.fetch(MAIL, native_id)
    assert found is not None
    return found


async def answered(connector: Connector, native_id: NativeId) -> list[NativeId | None]:
    stated = (await fetched(connector, native_id)).relationships
    assert {each.type for each in stated} <= {ANSWERS}
    return [each.to_native_id for each in stated]


def flagged(root: Path, name: str, flags: str) -> None:
    (found,) = root.glob(f"*/{name}*")
    found.rename(root / "cur" / f"{name}:2,{flags}")


@pytest.mark.requirement("mailboxes-are-a-source")
async def test_a_mail_that_is_read_answered_or_moved_from_new_to_cur_stays_the_same_document(
    root: Path, parsers: ParserPool
) -> None:
    connector = connect(root, parsers)
    native_id = deliver(root, "1.host", mail("Words"))
    before = (await listing(connector)).listed
    for flags in ("", "S", "RS"):
        flagged(root, "1.host", flags)
        version = before[native_id].version
        assert await verdict(connector, MAIL, native_id, version) is Verdict.OK, flags  # before any scan
        assert (await fetched(connector, native_id)).version == version
        assert (await listing(connector)).listed == before, flags
        assert await verdict(connect(root), MAIL, native_id, version) is Verdict.OK, flags  # by another process


@pytest.mark.requirement("large-documents-are-read-last")
async def test_mails_are_listed_with_their_size(root: Path) -> None:
    text = mail("Words")
    native_id = deliver(root, "1.host", text)
    assert (await listing(connect(root))).listed[native_id].size == len(text)


@pytest.mark.requirement("mailboxes-are-a-source")
async def test_an_answer_leads_to_the_mail_that_it_answers_once_that_is_there(root: Path, parsers: ParserPool) -> None:
    connector = connect(root, parsers)
    answer = deliver(root, "2.host", mail("I agree.", message_id="b@x", answers="a@x"))
    alone = (await listing(connector)).listed[answer].version
    assert await answered(connector, answer) == []
    question = deliver(root, "1.host", mail("Shall we?", message_id="a@x"))
    joined = (await listing(connector)).listed[answer].version
    assert joined != alone  # so it is read again
    assert (await fetched(connector, answer)).version == joined
    assert await answered(connector, answer) == [question]
    assert await verdict(connector, MAIL, answer, alone) is Verdict.OK  # what it says has not changed
    assert await answered(connector, question) == []


async def test_an_answer_to_a_mail_that_is_not_here_leads_to_the_nearest_one_before_it(
    root: Path, parsers: ParserPool
) -> None:
    connector = connect(root, parsers)
    first = deliver(root, "1.host", mail("One", message_id="a@x"))
    second = deliver(root, "2.host", mail("Two", message_id="b@x", answers="a@x"))
    last = deliver(root, "4.host", mail("Four", message_id="d@x", answers="c@x", references=("a@x", "b@x", "c@x")))
    await listing(connector)
    assert await answered(connector, second) == [first]
    assert await answered(connector, last) == [second]


async def test_mails_that_claim_the_id_of_another_or_answer_themselves_hide_nothing(
    root: Path, parsers: ParserPool
) -> None:
    maildir(root / ".Spam")
    connector = connect(root, parsers)
    genuine = deliver(root, "5.host", mail("The genuine one", message_id="a@x"))
    forged = deliver(root, "1.host", mail("A forged one", message_id="a@x"), box=".Spam")
    answer = deliver(root, "6.host", mail("An answer", message_id="b@x", answers="a@x"))
    looped = deliver(root, "7.host", mail("To itself", message_id="c@x", answers="c@x", references=("c@x",)))
    assert set((await listing(connector)).listed) == {genuine, forged, answer, looped}
    assert await answered(connector, answer) == [genuine]  # the one in its own mailbox
    assert await answered(connector, looped) == []


async def test_mails_state_their_mailbox_and_when_they_were_written(root: Path, parsers: ParserPool) -> None:
    maildir(root / "lists" / "python")
    connector = connect(root, parsers)
    native_id = deliver(root, "1.host", mail("Words", subject="Types"), box="lists/python")
    found = await fetched(connector, native_id)
    assert native_id == "lists/python/1.host"
    assert found.metadata["folder"] == "lists/python"
    assert found.extracted.title == "Types"
    assert found.modified_at is not None
    assert found.modified_at.isoformat() == "2026-03-03T10:00:00+00:00"


async def test_what_is_attached_is_read_and_what_cannot_be_read_is_named(root: Path, parsers: ParserPool) -> None:
    connector = connect(root, parsers)
    head = (
        b'From: a@x\nSubject: Report\nContent-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain\n\n'
    )
    part = (
        b'See there.\n--b\nContent-Type: text/markdown\nContent-Disposition: attachment; filename="r.md"\n\nIt grew.\n'
    )
    native_id = deliver(root, "1.host", head + part + b"--b--\n")
    assert "It grew." in (await fetched(connector, native_id)).extracted.body
    sealed = deliver(root, "2.host", b"From: a@x\nContent-Type: application/pkcs7-mime\n\nx")
    with pytest.raises(SkippableSourceError, match="encrypted"):
        await connector.processor.fetch(MAIL, sealed)
    empty = deliver(root, "3.host", b"")
    with pytest.raises(SkippableSourceError, match="empty"):
        await connector.processor.fetch(MAIL, empty)


async def test_a_mail_that_is_too_large_is_a_problem_and_costs_no_other(root: Path, parsers: ParserPool) -> None:
    connector = connect(root, parsers)
    large = deliver(root, "1.host", mail("x" * _MOST))
    small = deliver(root, "2.host", mail("Words"))
    found = await listing(connector)
    assert set(found.listed) == {small}
    (problem,) = found.problems
    assert isinstance(problem, TooLarge)
    assert problem.native_id == large
    with pytest.raises(SkippableSourceError, match="more than the 100,000"):
        await connector.processor.fetch(MAIL, large)


async def test_a_file_whose_name_is_no_text_is_named_and_costs_no_other(root: Path) -> None:
    native_id = deliver(root, "1.host", mail("Words"))
    (Path(str(root)) / "new" / "2.\udcff").write_bytes(mail("Words"))
    found = await listing(connect(root))
    assert set(found.listed) == {native_id}
    assert "no UTF-8" in found.problems[0].message
    assert found.end.complete


async def test_while_a_program_writes_an_mbox_nothing_of_it_is_given_up(tmp_path: Path, parsers: ParserPool) -> None:
    path = tmp_path / "Archive"
    path.write_bytes(mbox([mail("One"), mail("Two")]))
    connector = connect(path, parsers)
    before = await listing(connector)
    by_words = {(await fetched(connector, each)).extracted.body.split()[-1]: each for each in before.listed}
    first, second = by_words["One"], by_words["Two"]
    (tmp_path / "Archive.lock").touch()
    path.write_bytes(mbox([mail("One")]))
    during = await listing(connector)
    assert not during.end.complete
    assert during.end.reason == "Archive is being changed"
    version = before.listed[first].version
    assert await verdict(connector, MAIL, first, version) is Verdict.UNKNOWN
    (tmp_path / "Archive.lock").unlink()
    after = await listing(connector)
    assert after.end.complete
    assert await verdict(connector, MAIL, first, version) is Verdict.OK
    assert await verdict(connector, MAIL, second, version) is Verdict.GONE


@pytest.mark.requirement("mailboxes-are-a-source")
async def test_mails_keep_their_ids_when_others_are_appended_to_their_mbox_or_deleted_from_it(
    tmp_path: Path, parsers: ParserPool
) -> None:
    path = tmp_path / "Archive"
    connector = connect(path, parsers)

    async def listed(*words: str) -> Listing:
        path.write_bytes(mbox(mail(each) for each in words))
        return await listing(connector)

    (one,) = (await listed("One")).listed
    (two,) = (await listed("One", "Two")).listed.keys() - {one}
    (three,) = (await listed("One", "Two", "Three")).listed.keys() - {one, two}
    assert set((await listed("Two", "Three")).listed) == {two, three}
    assert "Three" in (await fetched(connector, three)).extracted.body
    path.write_bytes(mbox([mail("Three")]))  # since the last scan
    assert "Three" in (await fetched(connector, three)).extracted.body
    assert await connector.processor.fetch(MAIL, two) is None


async def test_a_mailbox_that_disappears_takes_its_mails_along_and_no_others(root: Path, parsers: ParserPool) -> None:
    sent = maildir(root / ".Sent")
    connector = connect(root, parsers)
    kept, gone = deliver(root, "1.host", mail("a")), deliver(root, "2.host", mail("b"), box=".Sent")
    version = (await listing(connector)).listed[gone].version
    sent.rename(root.parent / "elsewhere")
    assert await verdict(connector, MAIL, gone, version) is Verdict.GONE
    assert await connector.processor.fetch(MAIL, gone) is None
    assert set((await listing(connector)).listed) == {kept}
    sent.symlink_to(root.parent / "elsewhere")  # a link that leads out of the folder
    assert await verdict(connector, MAIL, gone, version) is Verdict.EXCLUDED
    assert set((await listing(connector)).listed) == {kept}


async def test_a_folder_without_mailboxes_is_no_source_and_deletes_nothing(tmp_path: Path) -> None:
    with pytest.raises(FatalSourceError, match="neither a Maildir nor an mbox"):
        await listing(connect(tmp_path))
    with pytest.raises(ConfigurationError, match="path"):
        maildir_connector({}, ParserPool(), max_file_bytes=1)


async def test_an_arriving_mail_and_a_new_mailbox_are_noticed_and_what_programs_keep_beside_them_is_not(
    root: Path,
) -> None:
    connector = connect(root)
    watcher = connector.watcher
    assert watcher is not None
    assert watcher.outdated() is False  # nothing was listed yet
    await listing(connector)
    assert watcher.outdated()
    async with aclosing(watcher.changes()) as changes, asyncio.timeout(HANG_SECONDS):
        await anext(changes)
        assert not watcher.outdated()
        deliver(root, "1.host", mail("Words"))
        await anext(changes)
    maildir(root / ".Sent")
    await listing(connector)
    assert watcher.outdated()
    assert relevant([(1, "/mails/Inbox")])
    assert not relevant([(1, "/mails/Inbox.lock"), (2, "/mails/Inbox.msf")])


def test_a_mailbox_is_told_from_another_disk_that_is_mounted_in_its_place(root: Path) -> None:
    watcher = connect(root).watcher
    assert watcher is not None
    assert watcher.root_identity() is not None
    root.rename(root.with_name("elsewhere"))
    assert watcher.root_identity() is None


@pytest.mark.requirement("scans-are-asked-for")
async def test_text_recognition_is_the_one_option_of_mailboxes_and_has_a_part_in_their_mails(root: Path) -> None:
    native_id = deliver(root, "1.host", mail("Words"))
    source = Source(SourceId(1), "local", "mails", "maildir", {"path": str(root)})
    with pytest.raises(InvalidArgument, match="only the option --ocr"):
        MAILDIR_KIND.options(source, {"include": ["*.eml"]})
    config = MAILDIR_KIND.options(source, {"ocr": True})
    connector = maildir_connector(config, ParserPool(), max_file_bytes=_MOST)
    assert "ocr" in (await listing(connector)).listed[native_id].readers
    assert "ocr" not in (await listing(connect(root))).listed[native_id].readers
