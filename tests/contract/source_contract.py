"""What every connector keeps to, as a suite. A connector joins by a subclass whose fixture `world` yields its World.

A source that cannot do everything says so in the flags of its subclass: the tests of what it lacks are then not there.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, aclosing
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import pytest
from tests.support.markdown import assert_sound
from tests.support.verdicts import verdicts_of

from citemark.model.documents import DocumentRef, Listed, Problem, ScanEnd, Verdict
from citemark.model.errors import SourceError
from citemark.model.ids import NativeId, Version
from citemark.sources.contract import Connector


def _cannot(name: str, other: str) -> None:
    raise AssertionError(f"{name!r} cannot be renamed to {other!r}: this source needs the flag no_rename")


@dataclass(frozen=True)
class World:
    """A connector over a source of its own, and the means to change that source.

    `put(name, words)` creates or rewrites one document whose text holds `words`, and answers with its native id;
    `drop(name)` deletes it; `rename(name, other)` calls it otherwise, and keeps its text; while `away()` is entered the
    source cannot be reached. What the flags of the suite exclude is never called.
    """

    connector: Connector
    doc_type: str
    put: Callable[[str, str], NativeId]
    drop: Callable[[str], None]
    away: Callable[[], AbstractContextManager[None]]
    rename: Callable[[str, str], None] = _cannot


Test = TypeVar("Test", bound=Callable[..., object])


def unless(flag: str) -> Callable[[Test], Test]:
    """A test that a source with this flag cannot run."""

    def flagged(test: Test) -> Test:
        test.unless = flag  # type: ignore[attr-defined]
        return test

    return flagged


@dataclass(frozen=True)
class Listing:
    """One scan."""

    listed: dict[NativeId, Listed]
    problems: list[Problem]
    end: ScanEnd


async def listing(connector: Connector) -> Listing:
    """Scan to the end, which must come once and last."""
    entries = [entry async for entry in connector.scanner.scan()]
    ends = [entry for entry in entries if isinstance(entry, ScanEnd)]
    assert len(ends) == 1
    assert entries[-1] is ends[0]
    listed = [entry for entry in entries if isinstance(entry, Listed)]
    assert len({entry.native_id for entry in listed}) == len(listed)
    problems = [entry for entry in entries if isinstance(entry, Problem)]
    return Listing({entry.native_id: entry for entry in listed}, problems, ends[0])


async def verdict(connector: Connector, doc_type: str, native_id: str, version: str) -> Verdict:
    """What the verifier says of one document."""
    ref = DocumentRef(doc_type, NativeId(native_id), Version(version))
    return (await verdicts_of(connector.verifier, [ref]))[ref]


class SourceContract:
    """The suite.

    Flags of a subclass say what its source cannot do: `read_only`, a document never changes once it is there;
    `no_delete`, none can be taken away; `no_rename`, none has a name that can change.
    """

    read_only: ClassVar[bool] = False
    no_delete: ClassVar[bool] = False
    no_rename: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        """Take out the tests of what the source cannot do; pytest collects no test that is None."""
        for name, test in vars(SourceContract).items():
            if getattr(cls, getattr(test, "unless", ""), False):
                setattr(cls, name, None)

    async def test_a_scan_lists_every_document_and_says_that_it_is_complete(self, world: World) -> None:
        expected = {world.put("one", "first words"), world.put("two", "second words")}
        found = await listing(world.connector)
        assert set(found.listed) == expected
        assert found.end.complete
        assert all(entry.doc_type == world.doc_type for entry in found.listed.values())

    async def test_an_empty_source_is_a_complete_listing(self, world: World) -> None:
        found = await listing(world.connector)
        assert found.end.complete
        assert not found.listed

    async def test_an_unchanged_element_keeps_its_version(self, world: World) -> None:
        world.put("one", "words")
        assert (await listing(world.connector)).listed == (await listing(world.connector)).listed

    @unless("read_only")
    async def test_an_edit_changes_the_version_of_that_document_alone(self, world: World) -> None:
        edited, kept = world.put("one", "old words"), world.put("two", "other words")
        before = (await listing(world.connector)).listed
        assert world.put("one", "new words") == edited
        after = (await listing(world.connector)).listed
        assert after[edited].version != before[edited].version
        assert after[kept].version == before[kept].version

    async def test_fetching_returns_the_listed_version_with_its_text(self, world: World) -> None:
        native_id = world.put("one", "remarkable words")
        listed = (await listing(world.connector)).listed[native_id]
        fetched = await world.connector.processor.fetch(world.doc_type, native_id)
        assert fetched is not None
        assert (fetched.doc_type, fetched.native_id, fetched.version) == (world.doc_type, native_id, listed.version)
        assert "remarkable words" in fetched.extracted.body
        assert fetched.extracted.title

    async def test_a_fetched_document_is_sound(self, world: World) -> None:
        native_id = world.put("one", "words\n\n# A\n\n## B\n\nmore [link](two.md)")
        fetched = await world.connector.processor.fetch(world.doc_type, native_id)
        assert fetched is not None
        assert_sound(fetched.extracted)
        slugs = {None, *(section.slug for section in fetched.extracted.sections)}
        for relationship in fetched.relationships:
            assert relationship.from_section in slugs
            assert (relationship.to_native_id is None) != (relationship.to_url is None)
            assert relationship.span.end <= len(fetched.extracted.body)

    async def test_an_indexed_document_is_vouched_for(self, world: World) -> None:
        native_id = world.put("one", "words")
        listed = (await listing(world.connector)).listed[native_id]
        assert await verdict(world.connector, world.doc_type, native_id, listed.version) is Verdict.OK

    @unless("read_only")
    async def test_an_edit_since_indexing_is_seen(self, world: World) -> None:
        native_id = world.put("one", "old words")
        listed = (await listing(world.connector)).listed[native_id]
        world.put("one", "new words")
        assert await verdict(world.connector, world.doc_type, native_id, listed.version) is Verdict.CHANGED

    @unless("no_delete")
    async def test_a_deleted_document_is_gone_everywhere(self, world: World) -> None:
        native_id = world.put("one", "words")
        listed = (await listing(world.connector)).listed[native_id]
        world.drop("one")
        found = await listing(world.connector)
        assert found.end.complete
        assert native_id not in found.listed
        assert await world.connector.processor.fetch(world.doc_type, native_id) is None
        assert await verdict(world.connector, world.doc_type, native_id, listed.version) is Verdict.GONE

    @unless("no_rename")
    async def test_a_renamed_document_is_there_once_and_its_text_is_found(self, world: World) -> None:
        former = world.put("one", "remarkable words")
        version = (await listing(world.connector)).listed[former].version
        world.rename("one", "other")
        (native_id,) = (await listing(world.connector)).listed
        fetched = await world.connector.processor.fetch(world.doc_type, native_id)
        assert fetched is not None
        assert "remarkable words" in fetched.extracted.body
        if native_id != former:
            assert await verdict(world.connector, world.doc_type, former, version) is Verdict.GONE
            assert await world.connector.processor.fetch(world.doc_type, former) is None

    async def test_a_document_that_never_existed_is_never_confirmed(self, world: World) -> None:
        found = await verdict(world.connector, world.doc_type, "no/such/thing", "1")
        assert found in {Verdict.GONE, Verdict.EXCLUDED, Verdict.UNKNOWN}

    @unless("no_delete")
    @pytest.mark.requirement("verifier-sorts-into-four-verdicts")
    async def test_every_ref_gets_its_own_verdict(self, world: World) -> None:
        native_ids = [world.put(name, name) for name in ("one", "two", "three")]
        listed = (await listing(world.connector)).listed
        refs = [DocumentRef(world.doc_type, native_id, listed[native_id].version) for native_id in native_ids]
        world.drop("two")
        verdicts = await verdicts_of(world.connector.verifier, refs)
        assert [verdicts[ref] for ref in refs] == [Verdict.OK, Verdict.GONE, Verdict.OK]
        assert not await verdicts_of(world.connector.verifier, [])

    @pytest.mark.requirement("confirmed-documents-count-one-by-one")
    async def test_verdicts_are_streamed_and_the_caller_may_stop_early(self, world: World) -> None:
        native_ids = [world.put(name, name) for name in ("one", "two", "three")]
        listed = (await listing(world.connector)).listed
        refs = [DocumentRef(world.doc_type, native_id, listed[native_id].version) for native_id in native_ids]
        async with aclosing(world.connector.verifier.verify(refs)) as verdicts:
            ref, found = await anext(verdicts)
        assert ref in refs
        assert found is Verdict.OK
        assert set((await verdicts_of(world.connector.verifier, refs)).values()) == {Verdict.OK}

    async def test_an_unavailable_source_is_not_mistaken_for_an_empty_one(self, world: World) -> None:
        world.put("one", "words")
        with world.away():
            try:
                found = await listing(world.connector)
            except SourceError:
                return
            assert not found.end.complete
            assert found.end.reason

    async def test_while_the_source_is_unavailable_nothing_is_confirmed_or_given_up(self, world: World) -> None:
        native_id = world.put("one", "words")
        listed = (await listing(world.connector)).listed[native_id]
        with world.away():
            assert await verdict(world.connector, world.doc_type, native_id, listed.version) is Verdict.UNKNOWN
            try:
                fetched = await world.connector.processor.fetch(world.doc_type, native_id)
            except SourceError:
                return
            assert fetched is not None
