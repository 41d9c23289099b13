"""A typed interface to RapidOCR: the only module that imports it, in the processes that parse files.

Its networks are files of its package, and are named to it: it never looks for one to download.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from citemark.extraction.ocr.level_lines import LEAST_SURE, Corner, FoundLine, page_of
from citemark.extraction.ocr.pictures import MOST_PIXELS
from citemark.extraction.pdf.recognised_page import RecognisedPage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DETECTED_AT = 960
"""Pixels of the longer side at which lines are looked for; their letters are read at full size. It bounds the memory:
at 2,000 a page takes 1.1 GiB of addresses, at this ten take 0.75, and parsing may take 0.9."""

_DETECTOR, _READER = "PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx"


def recognise(picture: "NDArray[np.uint8]") -> RecognisedPage:
    """Read a picture: rows of pixels, grey or in three colours, at most `MOST_PIXELS` a side.

    The page has no runs if the picture has no text.

    Raises:
        ImportError, OSError: text recognition is not installed, or its files cannot be read.
    """
    result = _engine()(_in_colours(picture))
    texts: Sequence[str] = result.txts or ()
    lines = [
        FoundLine(text, float(score), _corners(box))
        for text, score, box in zip(texts, result.scores or (), result.boxes if texts else (), strict=True)
    ]
    return page_of(lines, float(picture.shape[0]))


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
            "Global.text_score": LEAST_SURE,
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


def _corners(box: Any) -> tuple[Corner, Corner, Corner, Corner]:
    first, second, third, fourth = [(float(x), float(y)) for x, y in box]
    return first, second, third, fourth
