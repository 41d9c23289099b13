"""What a sync would find: counted, not recorded."""

from tests.support.memory_source import DOC_TYPE, MemorySource

from citemark.model.ids import NativeId, Version
from citemark.model.ledger import LedgerEntry
from citemark.services.source_preview import preview_of


async def test_a_problem_of_a_listing_is_no_document_and_leaves_the_listing_complete() -> None:
    source = MemorySource({"a.md": "text", "b" * 5_000: "too long an id"}, problems={"c.md": "cannot be opened"})
    known = {
        (DOC_TYPE, NativeId(name)): LedgerEntry(wanted=Version("1"), indexed=Version("1"), missing_since=None)
        for name in ("a.md", "c.md")
    }
    preview = await preview_of(source, known)
    assert (preview.listed, preview.new, preview.changed, preview.gone, preview.examples) == (1, 0, 1, 1, ("c.md",))
    assert preview.reason == ""
