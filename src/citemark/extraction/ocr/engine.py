"""A typed interface to RapidOCR: the only module that imports it, in the processes that parse files.

Its networks are files of its package, and are named to it: it never looks for one to download.
"""

import math
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from citemark.extraction.pdf.lines import PdfRun
from citemark.extraction.pdf.recognised_page import RecognisedPage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIXELS = 2400
"""Of the longer side of a picture: A4 at 200 dots per inch, at which small print is read, has 2,339."""

_DETECTED_AT = 960
"""Pixels of the longer side at which lines are looked for; their letters are read at full size. It bounds the memory:
at 2,000 a page takes 1.1 GiB of addresses, at this ten take 0.75, and parsing may take 0.9."""

_LEAST_SURE = 0.5
"""Lines with less confidence are patterns and stains more often than text."""

_ODD_HEIGHT = 1.3
"""Times the usual height of a line from which its own is believed; less is how far its letters reach up and down."""

_LETTERS = 0.8
"""Size of the letters of a line as a share of the height of its box, which has room above and below them."""

_DETECTOR, _READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"


def recognise(picture: "NDArray[np.uint8]") -> RecognisedPage:
    """Read a picture: rows of pixels, grey or in three colours, at most `MOST_PIXELS` a side.

    The page has no runs if the picture has no text.

    Raises:
        ImportError, OSError: text recognition is not installed, or its files cannot be read.
    """
    height = float(picture.shape[0])
    result = _engine()(_in_colours(picture))
    texts: Sequence[str] = result.txts or ()
    if not texts:
        return RecognisedPage((), height, 0.0)
    scores = [float(score) for score in result.scores]
    boxes = [[(float(x), float(y)) for x, y in box] for box in result.boxes]
    letters = [max(1, len(text)) for text in texts]
    confidence = sum(score * count for score, count in zip(scores, letters, strict=True)) / sum(letters)
    return RecognisedPage(tuple(_runs(texts, boxes, height)), height, confidence)


@cache
def _engine() -> Any:
    """The engine with its networks, made once in a process: that takes a second."""
    package = import_module("rapidocr")
    models = Path(str(package.__file__)).parent / "models"
    import_module("cv2").setNumThreads(1)  # each thread reserves addresses, of which a process has few
    return package.RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.use_cls": False,
            "Global.text_score": _LEAST_SURE,
            "Global.max_side_len": MOST_PIXELS,
            "Det.model_path": str(models / _DETECTOR),
            "Det.limit_type": "max",
            "Det.limit_side_len": _DETECTED_AT,
            "Rec.model_path": str(models / _READER),
            "Rec.rec_batch_num": 1,  # lines of one picture have other widths, and the widest counts for all
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _in_colours(picture: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    import numpy as np  # noqa: PLC0415 - loaded where it is used

    if picture.ndim == 2:  # noqa: PLR2004 - rows and columns
        return np.stack([picture] * 3, axis=-1)
    return np.ascontiguousarray(picture[:, :, :3])


def _runs(texts: Sequence[str], boxes: Sequence[Sequence[tuple[float, float]]], height: float) -> list[PdfRun]:
    """Lines in pixels with y upwards, turned so that they are level: a page lies askew in a scanner."""
    angle = median(_angle(box) for box in boxes)
    cosine, sine = math.cos(-angle), math.sin(-angle)
    levelled = [[(x * cosine - y * sine, x * sine + y * cosine) for x, y in box] for box in boxes]
    tall = [(box[3][1] + box[2][1] - box[0][1] - box[1][1]) / 2 for box in levelled]
    usual = median(tall)
    runs: list[PdfRun] = []
    for text, box, own in zip(texts, levelled, tall, strict=True):
        size = own if not usual / _ODD_HEIGHT <= own <= usual * _ODD_HEIGHT else usual
        middle = height - sum(y for _, y in box) / 4
        xs = [x for x, _ in box]
        shown = " ".join(text.split())
        if shown:
            runs.append(PdfRun(shown, min(xs), middle - size / 2, max(xs), middle + size / 2, size * _LETTERS))
    return runs


def _angle(box: Sequence[tuple[float, float]]) -> float:
    """The angle of the upper edge of a line."""
    (left, top), (right, other) = box[0], box[1]
    return math.atan2(other - top, right - left)
