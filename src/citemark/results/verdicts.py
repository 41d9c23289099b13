"""The verdict on a quotation: whether its words still stand where they were cited."""

from typing import TYPE_CHECKING, Any, Literal

from citemark.results.common_parts import CitationOut, ResponseMetaOut, cited, meta_fields, with_remarks
from citemark.text.citation_line import line_of
from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from citemark.services.responses import Verification


class VerifyQuoteOut(ResponseMetaOut):
    """Result of kb.verify_quote."""

    holds: Literal["exact", "moved", "changed", "gone"]
    cited_revision: Literal["known", "superseded", "unknown"]
    reason: Literal["words_gone", "document_gone"] | None = None
    found_at: CitationOut | None = None
    current_revision_id: str | None = None
    difference: str | None = None


def verification_out(found: "Verification") -> VerifyQuoteOut:
    """The verdict as a result."""
    optional: dict[str, Any] = {}
    if found.reason is not None:
        optional["reason"] = found.reason
    if found.found_at is not None:
        optional["found_at"] = cited(found.found_at)
    if found.current_revision_id is not None:
        optional["current_revision_id"] = found.current_revision_id
    if found.difference is not None:
        optional["difference"] = found.difference
    return VerifyQuoteOut(holds=found.holds, cited_revision=found.cited_revision, **optional, **meta_fields(found.meta))


_VERDICTS = {
    "exact": "The quotation is exact, and where the citation says.",
    "moved": "The quotation is exact, but in another place.",
    "changed": "The document has something similar there, not these words as they are quoted.",
    "by_ocr": "These are the words that OCR read in a picture, which are not verified as what the document says.",
    "words_gone": "The document exists, but contains neither these words nor similar ones.",
    "document_gone": "There is no such document, or it may not be read.",
}


_REVISIONS = {
    "known": "The revision cited is the present one.",
    "superseded": "Another revision has taken the place of the one cited.",
    "unknown": "The document has no such revision as cited, or it is not kept.",
}


def render_verification(found: "Verification") -> str:
    """The verdict in a sentence, and where the words are now, as text."""
    verdict = "by_ocr" if found.by_ocr else found.reason or found.holds
    lines = [f"{found.holds}: {_VERDICTS[verdict]}"]
    if found.difference is not None:
        lines.append(one_line(found.difference))
    if found.found_at is not None:
        lines.append(f"({line_of(found.found_at)})")
    lines.append(_REVISIONS[found.cited_revision])
    return with_remarks(lines, found.meta)
