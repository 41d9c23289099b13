"""Where the mails of an mbox begin and end, and what identifies them."""

from dataclasses import replace
from io import BufferedReader
from pathlib import Path

import pytest
from tests.support.mailboxes import mail, mbox

from citemark.features.maildir.mbox_file import content_of, is_mbox, mails_of

_MOST = 8 * 1024 * 1024


def opened(path: Path, data: bytes) -> BufferedReader:
    path.write_bytes(data)
    return path.open("rb")


def names(path: Path, data: bytes) -> list[str]:
    with opened(path, data) as file:
        return [each.name for each in mails_of(file, most_bytes=_MOST)]


def texts(path: Path, data: bytes) -> list[bytes | None]:
    with opened(path, data) as file:
        return [content_of(file, each, most_bytes=_MOST) for each in mails_of(file, most_bytes=_MOST)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Archive"


def test_each_mail_is_read_as_its_sender_wrote_it(path: Path) -> None:
    sent = [mail("One"), mail("From here on:\nFrom the start\n\nFrom me", subject="Two"), mail("Three")]
    assert texts(path, mbox(sent)) == sent
    assert texts(path, mbox(sent).replace(b"\n", b"\r\n")) == [each.replace(b"\n", b"\r\n") for each in sent]


def test_a_line_of_a_text_that_begins_with_from_begins_no_mail(path: Path) -> None:
    sent = mail("Dear all,\n\nFrom Monday 10:00 on we meet\nin the hall.\n\nFrom then on: daily.")
    assert len(names(path, mbox([mail("a")])[:-1] + b"\n" + mbox([sent]).replace(b">From", b"From"))) == 2


def test_a_mail_that_is_longer_than_what_is_searched_at_a_time_ends_where_the_next_begins(path: Path) -> None:
    for length in range(1024 * 1024 - 420, 1024 * 1024 - 180, 3):  # the line between them is cut at every place
        sent = [mail("x" * length), mail("y")]
        assert texts(path, mbox(sent)) == sent, length


def test_flags_that_a_mail_program_writes_into_a_mail_make_it_no_other_mail(path: Path) -> None:
    plain = mail("Words")
    flagged = b"Status: RO\nX-Mozilla-Status: 0001\nX-Keywords: a\n  b\n" + plain
    assert names(path, mbox([plain])) == names(path, mbox([flagged]))
    assert names(path, mbox([plain])) != names(path, mbox([b"X-Other: 1\n" + plain]))


def test_copies_of_a_mail_are_told_apart_by_their_order(path: Path) -> None:
    first, second, third = names(path, mbox([mail("a"), mail("a"), mail("b")]))
    assert (second, third != first) == (f"{first}~2", True)


def test_what_is_appended_is_found_without_reading_all_again(path: Path) -> None:
    sent = [mail("a"), mail("b"), mail("a")]
    whole = mbox(sent)
    half = whole[: len(mbox(sent[:2])) - 8]  # the second mail is still being written
    with opened(path, half) as file:
        known = mails_of(file, most_bytes=_MOST)
    with opened(path, whole) as file:
        assert mails_of(file, known, most_bytes=_MOST) == mails_of(file, most_bytes=_MOST)
        untouched = (replace(known[0], name="as it was known"), *known[1:])
        assert mails_of(file, untouched, most_bytes=_MOST)[0] is untouched[0]


def test_a_file_that_was_rewritten_is_read_anew_even_if_it_has_grown(path: Path) -> None:
    with opened(path, mbox([mail("a"), mail("b")])) as file:
        known = mails_of(file, most_bytes=_MOST)
    with opened(path, mbox([mail("another one"), mail("b"), mail("c")])) as file:
        assert mails_of(file, known, most_bytes=_MOST) == mails_of(file, most_bytes=_MOST)


def test_a_mail_in_whose_place_something_else_stands_is_not_there(path: Path) -> None:
    with opened(path, mbox([mail("abc"), mail("b")])) as file:
        first = mails_of(file, most_bytes=_MOST)[0]
    with opened(path, mbox([mail("xyz"), mail("b")])) as file:
        assert content_of(file, first, most_bytes=_MOST) is None


def test_a_large_mail_is_identified_by_its_beginning_and_its_size(path: Path) -> None:
    with opened(path, mbox([mail("x" * 5_000), mail("x" * 5_001)])) as file:
        first, second = mails_of(file, most_bytes=1_000)
    assert first.name.partition("~")[0] != second.name.partition("~")[0]


def test_only_a_file_that_begins_with_a_mail_is_an_mbox(path: Path) -> None:
    assert is_mbox(mbox([mail("a")]))
    assert is_mbox(b"From - Tue Mar 03 10:00:00 2026\r\nX-Mozilla-Status: 0001\r\n")
    for head in (
        b"",
        b"From me to you\n\nDear",
        b"Subject: a\n\nFrom",
        b'// <!-- <mdb:mork:z v="1.4"/> -->',
        b"\0" * 99,
    ):
        assert not is_mbox(head), head
        assert names(path, head) == []
