import pytest

from citemark.extraction.markdown.document import extract_markdown
from citemark.features.nextcloud.source.links import (
    LinkedDocument,
    event_url,
    link_target,
    linked_document,
    links_in,
    task_url,
    url_of_card,
    url_of_contact,
    url_of_file,
    url_of_note,
    url_of_user,
)
from citemark.sources.relationships import LinkTarget

SERVER = "https://cloud.example/nc"


@pytest.mark.requirement("links-between-apps-are-relationships")
@pytest.mark.parametrize(
    ("href", "doc_type", "native_id"),
    [
        ("https://cloud.example/nc/f/42", "file", "42"),
        ("https://cloud.example/nc/index.php/f/42/", "file", "42"),
        ("http://cloud.example/nc/f/42", "file", "42"),
        ("HTTPS://Cloud.Example/nc/f/42", "file", "42"),
        ("/nc/index.php/f/42", "file", "42"),
        ("/f/42", "file", "42"),
        ("https://cloud.example/nc/apps/files/?dir=/Projects&openfile=42", "file", "42"),
        ("https://cloud.example/nc/apps/files/files/42?dir=/Projects", "file", "42"),
        ("https://cloud.example/nc/apps/notes/note/7", "note", "7"),
        ("https://cloud.example/nc/apps/notes/#/note/7", "note", "7"),
        ("https://cloud.example/nc/apps/deck/board/2/card/4", "deck_card", "4"),
        ("https://cloud.example/nc/apps/deck/#/board/2/card/4", "deck_card", "4"),
        ("https://cloud.example/nc/apps/deck/board/2/card/4/details", "deck_card", "4"),
        ("https://cloud.example/nc/apps/deck/card/4", "deck_card", "4"),
        ("https://cloud.example/nc//f/42", "file", "42"),
    ],
)
def test_an_address_of_the_web_interface_names_a_document(href: str, doc_type: str, native_id: str) -> None:
    found = linked_document(SERVER, href)
    assert found is not None
    assert (found.doc_type, found.native_id) == (doc_type, native_id)


@pytest.mark.parametrize(
    "href",
    [
        "https://cloud.example.evil.example/nc/f/42",
        "https://cloud.example/other/f/42",
        "https://evil.example/https://cloud.example/nc/f/42",
        "https://cloud.example/nc/f/42x",
        "https://cloud.example/nc/apps/files/?fileid=latest",
        "https://cloud.example/nc/apps/deck/board/2",
        "//cloud.example/nc/f/42",
        "f/42",
        "mailto:bob@cloud.example",
        "https://cloud.example/nc//[x",
        "/index.php//a]b",
        "https://cloud.example/nc//\u2100/",
        "https://cloud.example/nc/\t/[x",
        "/\r\n/[x",
    ],
)
def test_other_addresses_name_no_document(href: str) -> None:
    assert linked_document(SERVER, href) is None


@pytest.mark.requirement("each-document-has-a-web-address")
def test_generated_addresses_lead_back_to_their_documents() -> None:
    assert linked_document(SERVER, url_of_file(SERVER, "42")) == LinkedDocument("file", "42")  # type: ignore[arg-type]
    assert linked_document(SERVER, url_of_note(SERVER, "7")) == LinkedDocument("note", "7")  # type: ignore[arg-type]
    assert linked_document(SERVER, url_of_card(SERVER, "2", "4")) == LinkedDocument("deck_card", "4", "2")  # type: ignore[arg-type]
    assert url_of_user(SERVER, "bob w/ö") == "https://cloud.example/nc/index.php/u/bob%20w%2F%C3%B6"


@pytest.mark.requirement("addresses-open")
@pytest.mark.parametrize("server", ["https://cloud.example", "https://cloud.example/nc"])
def test_every_address_opens_on_a_server_without_url_rewriting(server: str) -> None:
    made = [
        url_of_file(server, "42"),
        url_of_note(server, "7"),
        url_of_card(server, "2", "4"),
        url_of_contact(server, "direct"),
        url_of_user(server, "bob"),
        event_url(server, "/remote.php/dav/calendars/alice/work/a.ics"),
        task_url(server, "/remote.php/dav/calendars/alice/work/a.ics"),
    ]
    assert [url for url in made if not url.startswith(f"{server}/index.php/")] == []


def test_a_link_out_of_the_server_stays_as_it_is_written() -> None:
    assert link_target(SERVER, "https://example.org/x?y#z") == LinkTarget(url="https://example.org/x?y#z")
    assert link_target(SERVER, "//example.org/x") == LinkTarget(url="https://example.org/x")
    assert link_target(SERVER, "javascript:alert(1)") == LinkTarget()
    assert link_target(SERVER, "notes.md") == LinkTarget()


@pytest.mark.requirement("links-between-apps-are-relationships")
def test_two_spellings_of_one_link_in_a_section_are_one_relationship() -> None:
    text = "# A\n\n[x](https://cloud.example/nc/f/42) and https://cloud.example/nc/index.php/f/42\n\n# B\n\n<https://e.org/>\n"
    stated = links_in(SERVER, extract_markdown(text, fallback_title=""))
    assert [(one.from_section, one.to_native_id, one.to_url, dict(one.metadata)) for one in stated] == [
        ("a", "42", None, {"doc_type": "file"}),
        ("b", None, "https://e.org/", {}),
    ]
