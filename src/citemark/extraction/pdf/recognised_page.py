"""The text of a page that shows only a picture, as text recognition (OCR) read it."""

from dataclasses import dataclass, replace

from citemark.extraction.pdf.lines import PdfRun


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The lines of a picture as runs of text, with y upwards from 0 to `height`, and the confidence in them."""

    runs: tuple[PdfRun, ...]
    height: float
    confidence: float

    def as_high_as(self, height: float) -> "RecognisedPage":
        """The same in another unit, in which the picture is `height` high."""
        factor = height / self.height
        runs = [
            replace(
                run,
                left=run.left * factor,
                bottom=run.bottom * factor,
                right=run.right * factor,
                top=run.top * factor,
                size=run.size * factor,
            )
            for run in self.runs
        ]
        return RecognisedPage(tuple(runs), height, self.confidence)
