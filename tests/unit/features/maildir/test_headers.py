"""What the headers of a mail say about its place among others."""

from datetime import UTC, datetime

from tests.support.mailboxes import mail

from citemark.features.maildir.headers import MailHeaders, headers_of


def test_the_mail_that_is_answered_comes_first_and_then_the_nearest_ancestors() -> None:
    head = mail("Words", message_id="d@x", answers="c@x", references=("a@x", "b@x", "c@x"))
    assert headers_of(head) == MailHeaders("d@x", ("c@x", "b@x", "a@x"), datetime(2026, 3, 3, 10, tzinfo=UTC))


def test_what_looks_like_a_header_in_the_text_is_none() -> None:
    found = headers_of(b"Subject: a\r\n\r\nMessage-ID: <forged@x>\r\nIn-Reply-To: <b@x>\r\n")
    assert found == MailHeaders()


def test_of_a_header_that_is_there_twice_the_first_counts() -> None:
    assert headers_of(b"Message-ID: <a@x>\nMessage-ID: <b@x>\n\n").message_id == "a@x"


def test_headers_that_say_nothing_usable_are_none() -> None:
    for line in (
        b"Message-ID: no brackets",
        b"Message-ID: <" + b"x" * 300 + b">",
        b"Date: yesterday",
        b"Date: Tue, 99 Mar 2026 10:00:00 +0000",
        b"Date: Fri, 31 Dec 9999 23:59:00 -2359",
        b"Date: \xff\xfe",
        b"In-Reply-To: your message of today",
    ):
        assert headers_of(line + b"\n\nWords") == MailHeaders(), line


def test_a_thread_of_thousands_names_its_nearest_ancestors_alone() -> None:
    references = " ".join(f"<{number}@x>" for number in range(5_000))
    ancestors = headers_of(f"References: {references}\n\n".encode()).ancestors
    assert len(ancestors) == 50
    assert ancestors[0] == "4999@x"
