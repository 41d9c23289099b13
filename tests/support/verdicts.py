"""All that a verifier says of documents."""

from collections.abc import Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.sources.contract import Verifier


async def verdicts_of(verifier: Verifier, refs: Sequence[DocumentRef]) -> dict[DocumentRef, Verdict]:
    """The verdict on each ref, each said once."""
    found = [each async for each in verifier.verify(refs)]
    assert len({ref for ref, _ in found}) == len(found)
    return dict(found)
