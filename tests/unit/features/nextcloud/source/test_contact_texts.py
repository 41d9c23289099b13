"""What becomes of contacts."""

import pytest
from tests.nextcloud.pim.texts import contact
from tests.support.markdown import assert_sound

from citemark.features.nextcloud.source.contacts.reader import ContactReader
from citemark.features.nextcloud.source.dav.kinds import ResourceLocation, ResourceText
from citemark.model.errors import SkippableSourceError
from citemark.model.ids import NativeId

BOOK = "/remote.php/dav/addressbooks/users/alice/contacts/"
PLACE = ResourceLocation(f"{BOOK}c.vcf", BOOK, "Contacts")


def read(data: str) -> ResourceText:
    found = ContactReader("https://cloud.example")(data, NativeId("c"), PLACE)
    assert_sound(found.extracted)
    return found


def lines(data: str) -> list[str]:
    return read(data).extracted.body.splitlines()


def test_a_contact_names_itself_its_organization_its_addresses_and_its_notes() -> None:
    data = contact(
        "c",
        "Tomasz Wilk",
        email="Tomasz.Wilk@example.org",
        extra=[
            "ORG:Kranich Logistik;Archive",
            "TITLE:Archivist",
            "TEL;TYPE=CELL,VOICE:+49 341 5550113",
            "item1.TEL:+49 341 99",
            "item1.X-ABLABEL:_$!<Ladder room>!$_",
            "ADR;TYPE=HOME:;;Hauptstr. 1;Leipzig;;04103;Germany",
            "URL:https://example.org/wilk",
            "BDAY:1980-03-02",
            "CATEGORIES:Work,Archive",
            "NOTE:Knows the tapes\\, and has\\nthe ladder",
            "PHOTO;ENCODING=b;TYPE=JPEG:" + "QUJD" * 15,
        ],
    )
    assert lines(data) == [
        "# Tomasz Wilk",
        "",
        "- Organization: Kranich Logistik, Archive",
        "- Title: Archivist",
        "- Mail: Tomasz.Wilk@example.org (work)",
        "- Phone: +49 341 5550113 (mobile)",
        "- Phone: +49 341 99 (Ladder room)",
        "- Address: Hauptstr. 1, 04103 Leipzig, Germany (home)",
        "- Web site: https://example.org/wilk",
        "- Birthday: 2 March 1980",
        "- Categories: Work, Archive",
        "- Address book: Contacts",
        "",
        "Knows the tapes, and has",
        "the ladder",
    ]
    found = read(data)
    assert found.url == "https://cloud.example/index.php/apps/contacts/direct/contact/c~contacts"
    assert found.metadata["Organization"] == "Kranich Logistik"
    assert found.metadata["Labels"] == "Work\nArchive"
    assert found.metadata["Phone"] == "+49 341 5550113\n+49 341 99"


@pytest.mark.requirement("links-between-apps-are-relationships")
def test_a_contact_states_the_addresses_by_which_events_name_it() -> None:
    found = read(contact("c", "Tomasz Wilk", email="Tomasz@Example.org"))
    (stated,) = found.relationships
    assert (stated.type, stated.to_url) == ("has_address", "mailto:tomasz@example.org")
    assert stated.span.of(found.extracted.body) == "Tomasz@Example.org"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("BDAY:19800302", "2 March 1980"),
        ("BDAY:--0302", "2 March"),
        ("BDAY;X-APPLE-OMIT-YEAR=1604:1604-03-02", "2 March"),
        ("BDAY:19800302T000000Z", "2 March 1980"),
        ("BDAY;VALUE=text:around Easter", "around Easter"),
    ],
)
def test_a_birthday_is_shown_with_the_parts_that_are_known(written: str, told: str) -> None:
    assert f"- Birthday: {told}" in lines(contact("c", "Ana Lima", extra=[written]))


def test_version_4_is_read_with_its_own_ways_of_writing() -> None:
    data = contact(
        "urn:uuid:4",
        "Ana Lima",
        version="4.0",
        extra=['TEL;VALUE=uri;TYPE="voice,home":tel:+351-21', "KIND:individual", "RELATED;TYPE=spouse:urn:uuid:9"],
    )
    assert "- Phone: +351-21 (home)" in lines(data)
    assert read(data).url.endswith("/urn%3Auuid%3A4~contacts")


def test_a_company_is_named_by_its_organization() -> None:
    for line in ("X-ABSHOWAS:COMPANY", "KIND:org"):
        data = f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:s\r\nORG:Palettenhandel Süd\r\n{line}\r\nEND:VCARD\r\n"
        assert lines(data)[0] == "# Palettenhandel Süd"
        assert read(data).metadata["Kind"] == "organization"


def test_a_name_in_parts_is_put_together_where_no_full_one_is_written() -> None:
    data = "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:n\r\nN:Wilk;Tomasz;Jan;Dr.;\r\nEND:VCARD\r\n"
    assert lines(data)[0] == "# Dr. Tomasz Jan Wilk"


def test_files_of_older_programs_are_read() -> None:
    data = (
        "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Hans\r\n"
        "TEL;CELL:123\r\nEND:VCARD\r\n"
    )
    assert lines(data)[0] == "# Hans Müller"


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize(
    "data",
    [
        "",
        "no card",
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n",
        "BEGIN:VCARD\r\nVERSION:3.0\r\nUID:u\r\nEND:VCARD\r\n",
        "\x00\x01",
    ],
)
def test_data_that_is_not_a_contact_is_skipped_with_a_reason(data: str) -> None:
    with pytest.raises(SkippableSourceError, match=r"[Tt]he contact"):
        read(data)


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ("TI]TLE:Boss", "a line"),
        ("\ufeffrest\r\nof\r\nsomething", "3 lines"),
        ("NOTE;ENCODING=QUOTED-PRINTABLE:M=FCller", "a line"),
        ("NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=no-such:x", "a line"),
        ("NOTE;CHARSET=no-such;QUOTED-PRINTABLE:x", "a line"),
        ("X-A;ENCODING=b:abc", "a line"),
        ("Version", "a line"),
        ("End: see you", "a line"),
        ("BEGIN:OTHER\r\nX-A:b\r\nEND:OTHER\r\nno line", "3 lines"),
    ],
)
def test_one_broken_line_hides_no_contact_and_is_named(broken: str, told: str) -> None:
    said = lines(contact("c", "Ana Lima", email="ana@example.org", extra=[broken]))
    assert said[0] == "# Ana Lima"
    assert "- Mail: ana@example.org (work)" in said
    assert f"- Not readable: {told}" in said


def test_a_note_in_an_older_encoding_is_kept_beside_a_broken_line() -> None:
    data = (
        "BEGIN:VCARD\r\nVERSION:2.1\r\nUID:c\r\nFN:Ana\r\nbroken\r\n"
        "NOTE;ENCODING=QUOTED-PRINTABLE:one=20=\r\ntwo\r\nEND:VCARD\r\n"
    )
    said = lines(data)
    assert "one two" in said
    assert "- Not readable: a line" in said


def test_a_note_whose_last_line_seems_to_continue_takes_no_other_line() -> None:
    note = "NOTE;ENCODING=QUOTED-PRINTABLE:one=\r\n\r\n"
    said = lines(f"BEGIN:VCARD\r\nVERSION:2.1\r\nUID:c\r\nFN:Ana\r\nbroken\r\n{note}TEL:123\r\nEND:VCARD\r\n")
    assert "- Phone: 123" in said
    assert "one" in said
    assert "- Not readable: a line" in said


@pytest.mark.requirement("malformed-calendars-and-cards-reported")
def test_broken_lines_of_a_contact_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    lines(contact("c", "Ana Lima", extra=["my secret"]))
    assert "secret" not in caplog.text


@pytest.mark.requirement("one-bad-detail")
def test_a_note_that_was_not_folded_is_read_whole() -> None:
    said = lines(contact("c", "Ana", email="ana@example.org", extra=["NOTE:First line", "and the second", "TEL:123"]))
    assert said[-2:] == ["First line", "and the second"]
    assert "- Phone: 123" in said


@pytest.mark.requirement("one-bad-detail")
def test_a_contact_without_an_end_or_a_beginning_is_read_and_others_beside_it_are_counted() -> None:
    card = "VERSION:3.0\r\nFN:Ana\r\nNOTE:teal\r\n"
    assert read(f"BEGIN:VCARD\r\n{card}").extracted.body == read(f"{card}END:VCARD\r\n").extracted.body
    two = f"BEGIN:VCARD\r\n{card}END:VCARD\r\n"
    assert [part.words for part in read(two * 3).extracted.left_out] == ["2 further contacts"]


@pytest.mark.requirement("hidden-parts-are-read-or-named")
def test_properties_of_a_contact_are_read_or_counted() -> None:
    extra = ["HOBBY:pottery", "X-MS-MANAGER:Zed", "item1.X-ABDATE:2020-01-02", "item1.X-ABLABEL:Met on", "LANG:de"]
    stored = ["PHOTO;ENCODING=b:AAAA", "KEY:x", "X-FAVOURITE-GLAZE:celadon"]
    found = read(contact("c", "Ana", email="ana@example.org", extra=[*extra, *stored])).extracted
    for fact in ("Hobby: pottery", "Manager: Zed", "Date (Met on): 2 January 2020", "Language: de"):
        assert f"- {fact}" in found.body
    counted = sorted(part.words for part in found.left_out)
    assert counted == ["1 image without text", "1 key", "1 property of another kind"]
