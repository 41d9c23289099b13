"""What a listing says of the documents it names, and of those it lacks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.indexing.source_scan import DeletionPolicy, plan_missing, plan_wanted
from citemark.model.documents import Listed, ScanEnd
from citemark.model.ids import NativeId, Version
from citemark.model.ledger import Gone, ItemKey, LedgerEntry, Miss, Outdated, Want
from citemark.model.readers import TextVersion

NOW = datetime(2026, 3, 1, tzinfo=UTC)
AT_ONCE = DeletionPolicy()
PATIENT = DeletionPolicy(grace=timedelta(minutes=10))
COMPLETE = ScanEnd(complete=True)

keys = st.tuples(st.just("docs_page"), st.sampled_from([NativeId(name) for name in "abcdefg"]))
versions = st.sampled_from([Version("1"), Version("2")])
known_items = st.dictionaries(
    keys,
    st.builds(
        LedgerEntry,
        wanted=st.none() | versions,
        indexed=st.none() | versions,
        missing_since=st.none() | st.just(NOW - timedelta(minutes=5)),
    ),
)


def key(name: str) -> ItemKey:
    return ("docs_page", NativeId(name))


def known(*names: str, missing_since: datetime | None = None) -> dict[ItemKey, LedgerEntry]:
    return {key(name): LedgerEntry(Version("1"), Version("1"), missing_since) for name in names}


def listed(name: str, version: str = "1") -> Listed:
    return Listed("docs_page", NativeId(name), Version(version))


@pytest.mark.requirement("plan-is-a-pure-function")
@given(known_items, st.dictionaries(keys, versions))
def test_only_new_changed_and_returned_documents_are_wanted(
    ledger: dict[ItemKey, LedgerEntry], listing: dict[ItemKey, Version]
) -> None:
    entries = [Listed(doc_type, native_id, version) for (doc_type, native_id), version in listing.items()]
    wanted = {(w.listed.doc_type, w.listed.native_id) for w in plan_wanted(entries, ledger) if isinstance(w, Want)}
    for entry_key, version in listing.items():
        before = ledger.get(entry_key)
        settled = before is not None and before.wanted == version and before.missing_since is None
        assert (entry_key in wanted) == (not settled)


@pytest.mark.requirement("only-complete-listing-deletes")
@given(st.sets(keys), known_items, st.integers(0, 9))
def test_an_incomplete_listing_deletes_nothing(
    seen: set[ItemKey], ledger: dict[ItemKey, LedgerEntry], streak: int
) -> None:
    end = ScanEnd(complete=False, reason="the disk went away")
    assert plan_missing(seen, ledger, end, AT_ONCE, empty_streak=streak, now=NOW) == []


@pytest.mark.requirement("only-complete-listing-deletes")
@given(st.sets(keys, min_size=1), known_items)
def test_a_complete_listing_deletes_exactly_what_it_lacks(
    seen: set[ItemKey], ledger: dict[ItemKey, LedgerEntry]
) -> None:
    gone = plan_missing(seen, ledger, COMPLETE, AT_ONCE, empty_streak=0, now=NOW)
    lacking = [entry for entry, before in sorted(ledger.items()) if entry not in seen and before.wanted is not None]
    assert gone == [Gone(entry) for entry in lacking]


@pytest.mark.requirement("sudden-empty-believed-third-time")
@pytest.mark.parametrize("streak", [1, 2])
def test_a_suddenly_empty_listing_is_not_believed_at_first(streak: int) -> None:
    assert plan_missing(set(), known("a", "b"), COMPLETE, AT_ONCE, empty_streak=streak, now=NOW) == []


@pytest.mark.requirement("sudden-empty-believed-third-time")
def test_an_empty_listing_is_believed_the_third_time() -> None:
    gone = plan_missing(set(), known("a", "b"), COMPLETE, AT_ONCE, empty_streak=3, now=NOW)
    assert gone == [Gone(key("a")), Gone(key("b"))]


def test_an_absence_begins_its_grace_once() -> None:
    fresh, waiting = known("a"), known("b", missing_since=NOW - timedelta(minutes=5))
    missing = plan_missing({key("c")}, fresh | waiting, COMPLETE, PATIENT, empty_streak=0, now=NOW)
    assert missing == [Miss(key("a"))]


def test_an_absence_longer_than_the_grace_is_a_deletion() -> None:
    ledger = known("a", missing_since=NOW - timedelta(minutes=10))
    assert plan_missing({key("c")}, ledger, COMPLETE, PATIENT, empty_streak=0, now=NOW) == [Gone(key("a"))]


def test_a_document_that_reappears_is_read_again_and_its_absence_forgotten() -> None:
    ledger = known("a", missing_since=NOW - timedelta(minutes=9))
    assert plan_wanted([listed("a")], ledger) == [Want(listed("a"))]


def test_a_removal_that_is_under_way_is_not_planned_again() -> None:
    ledger = {key("a"): LedgerEntry(None, Version("1"), None)}
    assert plan_missing({key("b")}, ledger, COMPLETE, AT_ONCE, empty_streak=0, now=NOW) == []
    assert plan_wanted([listed("a")], ledger) == [Want(listed("a"))]


@given(st.sets(keys), known_items)
def test_planning_changes_neither_listing_nor_ledger(seen: set[ItemKey], ledger: dict[ItemKey, LedgerEntry]) -> None:
    before = (set(seen), dict(ledger))
    plan_missing(seen, ledger, COMPLETE, PATIENT, empty_streak=3, now=NOW)
    plan_wanted([listed("a")], ledger)
    assert (seen, ledger) == before


@pytest.mark.parametrize(
    ("before", "again"),
    [
        (LedgerEntry(Version("1"), Version("1"), None, tried_with=TextVersion(1)), True),
        (LedgerEntry(Version("1"), Version("1"), None, tried_with=TextVersion(2)), False),
        (LedgerEntry(Version("1"), Version("1"), None, tried_with=TextVersion(3)), False),
        (LedgerEntry(Version("1"), None, None, parked=True, tried_with=TextVersion(1)), True),
        (LedgerEntry(Version("1"), None, None, parked=True, tried_with=TextVersion(2)), False),
        (LedgerEntry(Version("1"), Version(""), None, tried_with=TextVersion(1)), False),
        (LedgerEntry(Version("1"), None, None), False),
    ],
)
def test_documents_read_or_given_up_by_older_code_are_read_again_once(before: LedgerEntry, again: bool) -> None:
    assert plan_wanted([listed("a")], {key("a"): before}, 2) == ([Outdated(key("a"))] if again else [])


@pytest.mark.parametrize(
    ("tried", "listed_for", "again"),
    [
        ({"epub": 0}, ("epub",), True),
        ({"epub": 1}, ("epub",), False),
        ({"epub": 2}, ("epub",), False),
        ({"old-office": 0, "html": 1}, ("old-office",), True),
        ({"old-office": 0, "html": 2}, ("old-office",), False),
        ({"code": 1}, ("org",), True),
        ({"code": 1, "org": 1}, ("org",), False),
        ({"pdf": 3}, ("pdf",), False),
        ({"pdf": 3, "of a later release": 1}, ("pdf",), False),
        ({}, ("pdf",), True),
        ({}, (), False),
    ],
)
def test_a_document_is_read_again_if_a_reader_that_it_needs_is_new_or_newer(
    tried: dict[str, int], listed_for: tuple[str, ...], again: bool
) -> None:
    today = {"epub": 1, "html": 2, "org": 1, "code": 1, "pdf": 3, "old-office": 0}
    before = LedgerEntry(Version("1"), Version("1"), None, tried_with=TextVersion(1, tried))
    found = plan_wanted([replace(listed("a"), readers=listed_for)], {key("a"): before}, 1, today)
    assert found == ([Outdated(key("a"), {name: today[name] for name in listed_for})] if again else [])


def test_a_new_version_of_the_document_counts_more_than_one_of_the_code() -> None:
    ledger = {key("a"): LedgerEntry(Version("1"), Version("1"), None, tried_with=TextVersion(1))}
    assert plan_wanted([listed("a", "2")], ledger, 2) == [Want(listed("a", "2"))]


@pytest.mark.requirement("only-complete-listing-deletes")
def test_documents_of_types_that_a_listing_does_not_cover_are_not_deleted() -> None:
    other: ItemKey = ("note", NativeId("1"))
    ledger = {**known("a"), other: LedgerEntry(Version("1"), Version("1"), None)}
    end = ScanEnd(complete=True, reason="notes: away", unlisted=frozenset({"note"}))
    assert plan_missing(set(), ledger, end, AT_ONCE, empty_streak=9, now=NOW) == [Gone(key("a"))]
    assert not end.whole
    assert ScanEnd(complete=True, unlisted=frozenset({"note"})).whole
