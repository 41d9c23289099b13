"""Lines as text recognition finds them in a picture, made level: a page lies askew in a scanner."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from citemark.extraction.pdf.lines import PdfRun
from citemark.extraction.pdf.recognised_page import RecognisedPage

LEAST_SURE = 0.5
"""Lines with less confidence are patterns and stains more often than text."""

_ODD_HEIGHT = 1.3
"""Times the usual height of a line from which its own is believed; less is how far its letters reach up and down."""

_LETTERS = 0.8
"""Size of the letters of a line as a share of the height of its box, which has room above and below them."""

Corner = tuple[float, float]


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line of a picture: its text, the confidence in it (0 to 1), and its corners in pixels, y downwards.

    The corners run from the upper left one clockwise.
    """

    text: str
    confidence: float
    corners: tuple[Corner, Corner, Corner, Corner]


def page_of(lines: Sequence[FoundLine], height: float) -> RecognisedPage:
    """The page of a picture that is `height` pixels high; its confidence is that in its letters."""
    if not lines:
        return RecognisedPage((), height, 0.0)
    letters = [max(1, len(line.text)) for line in lines]
    confidence = sum(line.confidence * count for line, count in zip(lines, letters, strict=True)) / sum(letters)
    return RecognisedPage(tuple(_runs(lines, height)), height, confidence)


def _runs(lines: Sequence[FoundLine], height: float) -> list[PdfRun]:
    """Level lines in pixels with y upwards."""
    angle = median(_angle(line) for line in lines)
    cosine, sine = math.cos(-angle), math.sin(-angle)
    levelled = [[(x * cosine - y * sine, x * sine + y * cosine) for x, y in line.corners] for line in lines]
    tall = [(box[3][1] + box[2][1] - box[0][1] - box[1][1]) / 2 for box in levelled]
    usual = median(tall)
    runs: list[PdfRun] = []
    for line, box, own in zip(lines, levelled, tall, strict=True):
        size = own if not usual / _ODD_HEIGHT <= own <= usual * _ODD_HEIGHT else usual
        middle = height - sum(y for _, y in box) / 4
        xs = [x for x, _ in box]
        shown = " ".join(line.text.split())
        if shown:
            runs.append(PdfRun(shown, min(xs), middle - size / 2, max(xs), middle + size / 2, size * _LETTERS))
    return runs


def _angle(line: FoundLine) -> float:
    """The angle of the upper edge of a line."""
    (left, top), (right, other) = line.corners[0], line.corners[1]
    return math.atan2(other - top, right - left)
