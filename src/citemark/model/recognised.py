"""Which parts of a document's text were read from pictures by OCR, and how sure that reading is."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from citemark.model.text import Span

READ_BY_OCR = "read_by_ocr"
"""The key under which a document's metadata says where its text was read by OCR: "0-1203 0.97, 2400-3000 0.91"."""

_PART = re.compile(r"(\d+)-(\d+) ([01]\.\d\d)")

_TITLE = re.compile(r"\(read by OCR, confidence ([01]\.\d\d)\)$")


@dataclass(frozen=True, slots=True)
class RecognisedPart:
    """A part of a body that was read by OCR; `confidence` is that of its letters on average, from 0 to 1."""

    span: Span
    confidence: float


def in_title(confidence: float) -> str:
    """What the title of a section that was read by OCR says about it, so that each of its passages does."""
    return f"read by OCR, confidence {confidence:.2f}"


def confidence_in_title(title: str) -> float | None:
    """The confidence that the title of a section tells of; None for one that tells of none."""
    found = _TITLE.search(title)
    return None if found is None else float(found[1])


def recognised_text(parts: Iterable[RecognisedPart]) -> str:
    """Parts in the form in which metadata has them; "" for none."""
    return ", ".join(f"{part.span.start}-{part.span.end} {part.confidence:.2f}" for part in parts)


def recognised_in(metadata: Mapping[str, str]) -> tuple[RecognisedPart, ...]:
    """The parts that metadata tells of."""
    found = _PART.finditer(metadata.get(READ_BY_OCR, ""))
    return tuple(RecognisedPart(Span(int(each[1]), int(each[2])), float(each[3])) for each in found)


def confidence_at(parts: Iterable[RecognisedPart], span: Span | None) -> float | None:
    """The least confidence of the parts that a span touches, of all without a span; None if it touches none."""
    touched = (
        part.confidence for part in parts if span is None or (part.span.start < span.end and span.start < part.span.end)
    )
    return min(touched, default=None)
