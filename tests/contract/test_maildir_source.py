"""Mailboxes keep the contract of sources: a Maildir, an mbox file, and one to which mails are only ever added."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from tests.contract.source_contract import SourceContract, World
from tests.support.mailboxes import deliver, mail, maildir, mbox

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.maildir.connector import maildir_connector
from citemark.features.maildir.mail_folder import MailFolder
from citemark.features.maildir.mails import MAIL
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector

_MOST = 1_000_000


def connect(path: Path, parsers: ParserPool) -> Connector:
    return maildir_connector({"path": str(path)}, parsers, max_file_bytes=_MOST)


def moved_away(path: Path) -> Callable[[], AbstractContextManager[None]]:
    @contextmanager
    def away() -> Generator[None, None, None]:
        elsewhere = path.rename(path.with_name("elsewhere"))
        yield
        elsewhere.rename(path)

    return away


def id_of(path: Path, words: str) -> NativeId:
    """The id of the mail with these words, which an mbox does not name."""
    folder = MailFolder(path, _MOST)
    found = {each: folder.content(each) for each in folder.listed().mails}
    (native_id,) = [each for each, content in found.items() if content is not None and words.encode() in content[1]]
    return native_id


class TestMaildir(SourceContract):
    """A Maildir, whose files are renamed whenever a flag changes."""

    @pytest.fixture
    def world(self, tmp_path: Path, parsers: ParserPool) -> World:
        root = maildir(tmp_path / "mails")

        def file(name: str) -> Path:
            (found,) = root.glob(f"*/{name}*")
            return found

        return World(
            connect(root, parsers),
            MAIL,
            lambda name, words: deliver(root, name, mail(words)),
            lambda name: file(name).unlink(),
            moved_away(root),
            lambda name, _: file(name).rename(root / "cur" / f"{name}:2,RS") and None,
        )


class TestMbox(SourceContract):
    """An mbox, whose mails are told apart by what they say: with another text, it is another mail."""

    read_only = True
    no_rename = True

    @pytest.fixture
    def world(self, tmp_path: Path, parsers: ParserPool) -> World:
        path = tmp_path / "Archive"
        mails: dict[str, bytes] = {}

        def save() -> None:
            path.write_bytes(mbox(mails.values()))

        def put(name: str, words: str) -> NativeId:
            mails[name] = mail(words, subject=name)
            save()
            return id_of(path, words)

        def drop(name: str) -> None:
            del mails[name]
            save()

        save()
        return World(connect(path, parsers), MAIL, put, drop, moved_away(path))


class TestGrowingMbox(SourceContract):
    """The archive of a mailing list, from which nothing is ever taken."""

    read_only = True
    no_delete = True
    no_rename = True

    @pytest.fixture
    def world(self, tmp_path: Path, parsers: ParserPool) -> World:
        path = tmp_path / "Archive"
        path.write_bytes(b"")

        def put(name: str, words: str) -> NativeId:
            with path.open("ab") as file:
                file.write(mbox([mail(words, subject=name)]))
            return id_of(path, words)

        def drop(name: str) -> None:
            raise AssertionError(f"nothing is taken from this archive, nor is {name!r}")

        return World(connect(path, parsers), MAIL, put, drop, moved_away(path))


@pytest.mark.requirement("sources-say-what-they-cannot-do")
def test_a_flag_takes_out_the_tests_of_what_a_source_cannot_do_and_no_others() -> None:
    def tests_of(suite: type[SourceContract]) -> set[str]:
        return {name for name in dir(suite) if name.startswith("test_") and getattr(suite, name) is not None}

    every = tests_of(SourceContract)
    assert tests_of(TestMaildir) == every
    assert every - tests_of(TestMbox) == {
        "test_an_edit_changes_the_version_of_that_document_alone",
        "test_an_edit_since_indexing_is_seen",
        "test_a_renamed_document_is_there_once_and_its_text_is_found",
    }
    assert tests_of(TestMbox) - tests_of(TestGrowingMbox) == {
        "test_a_deleted_document_is_gone_everywhere",
        "test_every_ref_gets_its_own_verdict",
    }
