"""Runs the program Tesseract on one page after another, with the limits of the process that parses the file.

It gets pixels and gives a table of words (TSV): no file is written, and none is handed to it that somebody else wrote.
"""

import ctypes
import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from citemark.extraction.ocr.level_lines import LEAST_SURE, Corner, FoundLine, page_of
from citemark.extraction.pdf.recognised_page import RecognisedPage
from citemark.model.errors import RetriableSourceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MOST_LANGUAGES = 6
"""Of those that are installed, if none is named: each takes its own time on each line."""

_LANGUAGE = re.compile(r"[a-z]{3}(?:_[A-Za-z]+)*")
"""What is installed besides languages is named otherwise (`script/Latin`), or below."""

_NO_LANGUAGES = frozenset({"osd", "equ", "snum"})

_SMOOTHED = 1.0
"""Radius in pixels. Grain of the scanner is otherwise taken for ink where a page has little of it: of the ten pages of
the tests not one is read as it is."""

_WORD = "5"
"""The level of rows that are words; the others are the lines, paragraphs and blocks around them."""

_COLUMNS = 12
_SHORTEST = 8
"""Heights of a line that its words must span to tell how far it is turned."""

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    confidence: float
    left: int
    top: int
    width: int
    height: int

    @property
    def middle(self) -> tuple[float, float]:
        return self.left + self.width / 2, self.top + self.height / 2


class Tesseract:
    """The program, with the languages that it is asked for."""

    def __init__(self, program: str, languages: Sequence[str], seconds: float) -> None:
        """Ask which languages are installed.

        Args:
            program: its path.
            languages: by its names, such as `deu`; empty for all that are installed.
            seconds: that a page may take.

        Raises:
            RetriableSourceError: it cannot be run, lacks a language, or has too many to use all; a person mends it.
        """
        self._program = program
        self._seconds = seconds
        try:
            listed = self._run(["--list-langs"], b"").decode("utf-8", "replace")
        except (OSError, subprocess.SubprocessError) as error:
            raise RetriableSourceError(f"The program {program} cannot be run: install it anew.") from error
        self._languages = "+".join(chosen_languages(listed.splitlines(), languages))

    def recognise(self, picture: "NDArray[np.uint8]") -> RecognisedPage:
        """Read a picture: rows of pixels, grey or in three colours. The page has no runs if it has no text.

        Raises:
            OSError, subprocess.SubprocessError: the program failed, or took too long.
        """
        arguments = ["stdin", "stdout", "-l", self._languages, "tsv"]
        found = self._run(arguments, _as_pgm(picture)).decode("utf-8", "replace")
        return page_of(lines_of(found), float(picture.shape[0]))

    def _run(self, arguments: Sequence[str], given: bytes) -> bytes:
        done = subprocess.run(
            [self._program, *arguments],
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=self._seconds,
            check=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
            preexec_fn=_limits(self._seconds),
        )
        return done.stdout


def chosen_languages(listed: Iterable[str], named: Sequence[str]) -> list[str]:
    """The languages to use: those that are named, or all that `tesseract --list-langs` lists.

    Raises:
        RetriableSourceError: a named one is not installed, none is, or so many that they have to be named.
    """
    installed = sorted({line for line in map(str.strip, listed) if _is_language(line)})
    lacking = [language for language in named if language not in installed]
    if lacking or not installed:
        name = lacking[0] if lacking else "eng"
        raise RetriableSourceError(
            f"Tesseract has no language {name!r} here: install it (`apt install tesseract-ocr-{name}`), or name others "
            "with CITEMARK_OCR_LANGUAGES."
        )
    if not named and len(installed) > _MOST_LANGUAGES:
        raise RetriableSourceError(
            f"Tesseract has {len(installed)} languages here, and each takes its time: name those of your scans with "
            "CITEMARK_OCR_LANGUAGES, such as eng,deu."
        )
    return list(named) or installed


def lines_of(table: str) -> list[FoundLine]:
    """The lines of a table of words, without those in which the program has little confidence."""
    lines: defaultdict[tuple[str, ...], list[_Word]] = defaultdict(list)
    for row in table.split("\n"):
        cells = row.rstrip("\r").split("\t", _COLUMNS - 1)
        if len(cells) == _COLUMNS and cells[0] == _WORD and cells[-1].strip():
            left, top, width, height = map(int, cells[6:10])
            confidence = min(1.0, max(0.0, float(cells[10]) / 100))
            lines[tuple(cells[1:5])].append(_Word(cells[-1].strip(), confidence, left, top, width, height))
    slope = _slope(lines.values())
    found = [_line(words, slope) for words in lines.values()]
    return [line for line in found if line.confidence >= LEAST_SURE]


def _is_language(line: str) -> bool:
    return _LANGUAGE.fullmatch(line) is not None and line not in _NO_LANGUAGES


def _slope(lines: Iterable[Sequence[_Word]]) -> float:
    """How far lines go down for each pixel to the right: from first to last words, the median of long lines."""
    slopes: list[float] = []
    for words in lines:
        (left, start), (right, end) = words[0].middle, words[-1].middle
        if right - left > _SHORTEST * median(word.height for word in words):
            slopes.append((end - start) / (right - left))
    return median(slopes) if slopes else 0.0


def _line(words: Sequence[_Word], slope: float) -> FoundLine:
    """A line with its corners: the boxes of words are upright, however the page lies."""
    left, right = min(word.left for word in words), max(word.left + word.width for word in words)
    top = min(word.top - slope * (word.middle[0] - left) for word in words)
    bottom = max(word.top + word.height - slope * (word.middle[0] - left) for word in words)
    drop = slope * (right - left)
    corners: tuple[Corner, Corner, Corner, Corner] = (
        (left, top),
        (right, top + drop),
        (right, bottom + drop),
        (left, bottom),
    )
    letters = [len(word.text) for word in words]
    confidence = sum(word.confidence * count for word, count in zip(words, letters, strict=True)) / sum(letters)
    return FoundLine(" ".join(word.text for word in words), confidence, corners)


def _as_pgm(picture: "NDArray[np.uint8]") -> bytes:
    """The picture in grey and smoothed, in the simplest format of pictures."""
    from PIL import Image, ImageFilter  # noqa: PLC0415 - loaded where it is used

    grey = Image.fromarray(picture).convert("L").filter(ImageFilter.GaussianBlur(_SMOOTHED))
    return b"P5 %d %d 255\n" % grey.size + grey.tobytes()


def _limits(seconds: float) -> Callable[[], None] | None:
    """What the program sets for itself before it starts: it ends with this process, and its processor time is bounded.

    Rights, memory and the lack of a network are those of this process, which has one thread.
    """
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - not on every platform

    libc = ctypes.CDLL(None) if sys.platform.startswith("linux") else None

    def limit() -> None:
        most = int(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return limit
