"""Why a result is empty: the gravest thing that kept something from being looked at, else that nothing answers."""

from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from citemark.model.completeness import Reading, SourceReading
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.model.status import SourceState
from citemark.services.empty import (
    Arguments,
    AskedSource,
    EmptyReason,
    EmptyResult,
    EmptySearch,
    explain,
    no_part,
    no_path,
    no_relationship,
    nothing_known,
    nothing_related,
    nothing_to_walk,
    other_languages,
)

DONE = datetime(2026, 5, 1, tzinfo=UTC)


def asked(name: str = "docs", *, config: dict[str, Any] | None = None, apps: tuple[str, ...] = (), **state: Any) -> Any:
    fields: dict[str, Any] = {
        "documents": 3, "languages": {"english": 3}, "texts_waiting": 0, "vectors_waiting": 0, "problems": 0,
        "scanning": False, "last_complete_scan": DONE, "scan_error": "", "refused": "", **state,
    }  # fmt: skip
    source = Source(SourceId(1), "local", name, "nextcloud" if config else "docs", config or {})
    return AskedSource(source, SourceState(**fields), apps)


WELL = asked()
REFUSED = asked("cloud", refused="The server does not accept the app password of alice any more.")
OFF = asked("cloud", config={"sync": False})
NEW = asked("fresh", last_complete_scan=None)

CASES: list[tuple[EmptyReason, EmptySearch, str]] = [
    ("nothing_answers", EmptySearch([WELL]), "`also`"),
    ("no_source", EmptySearch([]), "citemark add"),
    ("no_source", EmptySearch([], scoped=True), "kb_list_sources"),
    ("not_indexed_yet", EmptySearch([WELL, NEW]), "citemark sync fresh"),
    ("not_indexed_yet", EmptySearch([asked(texts_waiting=2)]), "2 documents wait"),
    ("not_indexed_yet", EmptySearch([asked(vectors_waiting=5)]), "5 passages wait"),
    ("not_indexed_yet", EmptySearch([asked(scan_error="deck: 503")]), "deck: 503"),
    ("switched_off", EmptySearch([WELL, OFF, NEW]), "nc_enable_vector_sync"),
    (
        "switched_off",
        EmptySearch([asked("cloud", config={"apps": ["deck"]}, apps=("notes",))]),
        "cloud is indexed without notes",
    ),
    ("password_refused", EmptySearch([WELL, OFF, REFUSED]), "citemark login cloud"),
    ("password_refused", EmptySearch([REFUSED], withheld=2), "alice"),
    ("not_indexed_yet", EmptySearch([WELL], reading=Reading((SourceReading(1, "docs", unflushed=True),))), "so far"),
    ("all_withheld", EmptySearch([WELL, NEW], withheld=2), "2 hits were found and withheld"),
    ("language", EmptySearch([WELL], other_languages=("german", "french")), "Ask in German and French"),
]


@pytest.mark.requirement("empty-result-gives-listed-reason", "empty-result-says-reason-and-advice")
@pytest.mark.parametrize(("reason", "search", "said"), CASES)
def test_the_reason_is_the_gravest_thing_that_kept_documents_from_being_looked_at(
    reason: EmptyReason, search: EmptySearch, said: str
) -> None:
    found = explain(search)
    assert found.reason == reason
    assert said in found.text
    assert found.next_step


def test_every_reason_is_reached() -> None:
    assert {reason for reason, _, _ in CASES} == set(get_args(EmptyReason))


def test_only_nothing_answers_says_that_everything_could_be_looked_at() -> None:
    for reason, search, _ in CASES:
        assert ("everything in scope that can be read was searched" in explain(search).message) is (
            reason == "nothing_answers"
        )


@pytest.mark.requirement("empty-result-gives-listed-reason")
@pytest.mark.parametrize(
    ("nothing", "advice"),
    [
        (no_part("element", filtered=True), "Leave out a filter"),
        (no_part("view", filtered=False), "citemark problems"),
        (no_relationship(filtered=True), "Leave out `type` or `direction`"),
        (no_relationship(filtered=False), "citemark problems"),
        (no_path(3, cut=False), "Allow more `max_hops`"),
        (no_path(3, cut=True), "a smaller `max_hops`"),
        (nothing_related(), "Ask in both directions"),
        (nothing_known(), "Search again"),
    ],
)
def test_a_list_or_a_walk_says_what_it_lacks_unless_something_kept_it_from_being_read(
    nothing: EmptyResult, advice: str
) -> None:
    assert explain(EmptySearch([WELL]), nothing) == nothing
    assert nothing.reason == "nothing_answers"
    assert advice in nothing.next_step
    for obstacle in (EmptySearch([]), EmptySearch([NEW]), EmptySearch([WELL], withheld=1)):
        assert explain(obstacle, nothing) == explain(obstacle)


@pytest.mark.parametrize(
    ("stop_words", "documents", "others"),
    [
        ({"english": 4, "german": 1}, {"german": 6}, ("german",)),
        ({"english": 4, "german": 1}, {"german": 6, "english": 5}, ("german",)),
        ({"english": 4, "german": 1}, {"german": 5, "english": 6}, ()),
        ({"german": 3, "english": 1}, {"english": 9}, ("english",)),
        ({"english": 2, "german": 1}, {"german": 6}, ()),
        ({"english": 5}, {"simple": 6}, ()),
        ({"english": 5}, {"polish": 6, "czech": 7}, ("czech", "polish")),
        ({}, {"german": 6}, ()),
    ],
)
def test_the_language_is_the_reason_where_most_documents_are_in_another_one(
    stop_words: dict[str, int], documents: dict[str, int], others: tuple[str, ...]
) -> None:
    assert other_languages(stop_words, documents) == others


@pytest.mark.requirement("advice-names-only-existing-arguments")
def test_an_advice_names_only_the_arguments_that_the_tool_has() -> None:
    command = Arguments(also="--also", threshold="--min-score")
    texts = [explain(EmptySearch([WELL], arguments=arguments)).text for arguments in (Arguments(), command)]
    assert "`also`" in texts[0]
    assert "threshold" not in texts[0]
    assert "lower" not in texts[0]
    assert "--also" in texts[1]
    assert "A lower --min-score" in texts[1]
    assert "also" not in explain(EmptySearch([WELL], arguments=Arguments(also=""))).text


@pytest.mark.requirement("denial-is-the-reason")
def test_after_a_denial_the_reason_is_the_denial_even_while_the_document_waits_to_be_read_again() -> None:
    found = explain(EmptySearch([asked(texts_waiting=1)], denied=1))
    assert found.reason == "all_withheld"
    assert "denied" in found.message


def test_below_the_threshold_nothing_is_called_absent() -> None:
    below, absent = (explain(EmptySearch([WELL], below_threshold=below)) for below in (True, False))
    assert "do not say" not in below.message
    assert "do not say" in absent.message
    assert (below.says_absent, absent.says_absent) == (False, True)


@pytest.mark.requirement("failed-beside-absence")
def test_documents_that_could_not_be_read_are_counted_beside_the_reason_that_nothing_answers() -> None:
    reading = Reading((SourceReading(1, "docs", failed=2),))
    assert (
        "2 documents could not be read; `citemark problems` lists them."
        in explain(EmptySearch([WELL], reading=reading)).message
    )
    assert "2 documents could not" in explain(EmptySearch([WELL], reading=reading), nothing_related()).message
    assert "could not be read" not in explain(EmptySearch([WELL])).message


@pytest.mark.requirement("causes-established")
def test_only_what_was_found_of_a_source_is_given_as_the_cause() -> None:
    incomplete = explain(EmptySearch([asked(scan_error="deck: 503")])).message
    assert incomplete == "Not everything could be searched: the last scan of docs was incomplete: deck: 503."
    waiting = explain(EmptySearch([asked(texts_waiting=1, vectors_waiting=2)])).message
    assert waiting == "Not everything could be searched: 1 document waits to be read; 2 passages wait for vectors."
    unscanned = explain(EmptySearch([NEW])).message
    assert unscanned == "Not everything could be searched: fresh is not completely listed yet."
    off = explain(EmptySearch([OFF, asked("mine", config={"apps": ["deck"]}, apps=("notes", "files"))])).message
    assert off == (
        "Not everything could be searched: cloud is switched off and not indexed; mine is indexed without notes, files."
    )


@pytest.mark.requirement("causes-established", "denial-is-the-reason")
def test_a_denied_hit_is_not_said_to_be_deleted_or_forbidden_which_nobody_asked() -> None:
    denied = explain(EmptySearch([WELL], denied=2))
    assert denied.message == "2 hits were found and denied: the source does not offer you the document any more."


@pytest.mark.requirement("causes-established")
def test_a_scope_without_a_graph_is_said_to_have_no_document_only_if_it_has_none() -> None:
    assert "have no document" in nothing_to_walk(documents=False).text
    assert "no relationship was found in their documents" in nothing_to_walk(documents=True).text
    assert "have no document" not in nothing_to_walk(documents=True).text
