"""Parts of results as apps show them: what a result says about itself, and where a quote stands."""

from typing import TYPE_CHECKING, Any

from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from citemark.results.common_parts import IncompleteOut, QuoteCitationOut, ResponseMetaOut

_BROWSED = ("http://", "https://")


def said(out: "ResponseMetaOut") -> dict[str, Any]:
    """What a result says about itself: what it lacks, and why it is empty."""
    return {
        "told": [],
        "sure": "",
        "incomplete": "" if out.incomplete is None else _lacking(out.incomplete),
        "withheld": out.withheld_unverified,
        "notes": out.notes,
        "empty": out.empty_message or "",
    }


def _lacking(lacks: "IncompleteOut") -> str:
    counts = {
        "to be read": lacks.waiting,
        "changed and not read again yet": lacks.changed,
        "not confirmed by their source": lacks.withheld,
        "could not be read": lacks.failed,
    }
    return f"Incomplete, documents: {', '.join(f'{number} {what}' for what, number in counts.items() if number)}."


def place(citation: "QuoteCitationOut") -> str:
    """Where a quote stands, in one line."""
    document = one_line(citation.document_id)
    if citation.title:
        document += f' "{one_line(citation.title)}"'
    parts = [f"{one_line(citation.source)}: {document}"]
    if (lines := citation.anchor.lines) is not None:
        parts.append(f"line {lines.start}" if lines.start == lines.end else f"lines {lines.start}-{lines.end}")
    parts.append(f"revision {citation.revision_id}")
    return ", ".join([*parts, *([f"dated {citation.dated}"] if citation.dated else [])])


def browsed(url: str | None) -> str:
    """The address of a document if a browser opens it; else ""."""
    return url if url is not None and url.lower().startswith(_BROWSED) else ""
