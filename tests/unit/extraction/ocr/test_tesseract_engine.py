"""What Tesseract is asked for, and what is made of its table of words."""

import stat
import sys
from pathlib import Path

import numpy as np
import pytest

from citemark.extraction.ocr.scans import read_picture
from citemark.extraction.ocr.tesseract_engine import Tesseract, chosen_languages, lines_of
from citemark.extraction.text_recognition import OCR, TESSERACT, TextRecognition
from citemark.model.errors import RetriableSourceError

LISTED = ['List of available languages in "/usr/share/tessdata/" (4):', "deu", "eng", "osd", "chi_sim", "script/Latin"]
PAGE = np.full((40, 60), 255, np.uint8)


def row(line: int, word: int, left: int, top: int, confidence: float, text: str) -> str:
    return f"5\t1\t1\t1\t{line}\t{word}\t{left}\t{top}\t80\t30\t{confidence}\t{text}"


def program(folder: Path, body: str) -> str:
    """A program in the place of Tesseract, which lists its languages and then does something else."""
    path = folder / TESSERACT
    path.write_text(f"#!/bin/sh\nif [ $1 = --list-langs ]; then echo Languages:; echo eng; exit 0; fi\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_words_of_a_line_are_put_together_and_turned_level() -> None:
    rows = ["level\tpage_num", "4\t1\t1\t1\t1\t0\t0\t0\t900\t60\t-1\t"]
    rows += [
        row(1, n, 100 * n, 50 + 2 * n, 90, text) for n, text in enumerate(["The", "pump", "is", "at", "11.5", "bar"])
    ]
    rows += [
        row(2, n, 100 * n, 100 + 2 * n, 80, text) for n, text in enumerate(["and", "the", "valve", "is", "a", "new"])
    ]
    first, second = lines_of("\n".join(rows))
    assert (first.text, second.text) == ("The pump is at 11.5 bar", "and the valve is a new")
    assert (first.confidence, second.confidence) == (pytest.approx(0.9), pytest.approx(0.8))
    (left, top), (right, other) = first.corners[:2]
    assert (other - top) / (right - left) == pytest.approx(0.02)
    heights = [line.corners[3][1] - line.corners[0][1] for line in (first, second)]
    assert heights == pytest.approx([30, 30]), "as high as its words, not as the line falls"


def test_lines_that_are_hardly_letters_are_left_out_whole() -> None:
    table = "\n".join([row(1, 1, 0, 0, 95, "Rent"), row(2, 1, 0, 60, 20, "~~|"), row(3, 1, 0, 90, 95, " ")])
    assert [line.text for line in lines_of(table)] == ["Rent"]
    doubtful = "\n".join([row(1, 1, 0, 0, 95, "never"), row(1, 2, 90, 0, 20, "not"), row(1, 3, 180, 0, 95, "later")])
    assert [line.text for line in lines_of(doubtful)] == ["never not later"], "no word is taken out of a sentence"


@pytest.mark.requirement("scans-by-tesseract")
def test_languages_are_those_that_are_named_or_all_that_are_installed() -> None:
    assert chosen_languages(LISTED, []) == ["chi_sim", "deu", "eng"]
    assert chosen_languages(LISTED, ["eng", "deu"]) == ["eng", "deu"]
    with pytest.raises(RetriableSourceError, match=r"no language 'fra' here: install it .*CITEMARK_OCR_LANGUAGES"):
        chosen_languages(LISTED, ["eng", "fra"])
    with pytest.raises(RetriableSourceError, match="apt install tesseract-ocr-eng"):
        chosen_languages(["List of available languages (1):", "osd"], [])
    with pytest.raises(RetriableSourceError, match="Tesseract has 7 languages here"):
        chosen_languages(["deu", "eng", "fra", "ita", "nld", "pol", "spa"], [])


@pytest.mark.requirement("scans-by-tesseract")
@pytest.mark.skipif(sys.platform == "win32", reason="programs are not scripts there")
def test_a_program_that_fails_or_does_not_end_gives_a_page_up(tmp_path: Path) -> None:
    for body in ("exit 1", "exec sleep 60"):
        engine = Tesseract(program(tmp_path, body), [], seconds=1)
        with pytest.raises(Exception, match=r"exit status 1|timed out after 1 seconds"):
            engine.recognise(PAGE)


def test_a_program_that_cannot_be_run_is_told_and_nothing_is_given_up(tmp_path: Path) -> None:
    recognition: dict[str, object] = {"program": str(tmp_path / "none"), "languages": [], "seconds": 1.0}
    (told,) = read_picture(b"", title="Scan", recognition=recognition)
    assert "cannot be run" in told["unavailable"]


@pytest.mark.requirement("scans-by-tesseract")
@pytest.mark.skipif(sys.platform == "win32", reason="programs are not scripts there")
def test_tesseract_is_found_by_its_name_and_chosen_by_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = program(tmp_path, "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    packages = TextRecognition("rapidocr").is_installed
    assert TextRecognition("tesseract").reader == TESSERACT
    assert TextRecognition("tesseract", ("deu",)).arguments(48.0) == {
        "program": path,
        "languages": ["deu"],
        "seconds": 48.0,
    }
    assert TextRecognition().reader == (OCR if packages else TESSERACT)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert TextRecognition("tesseract").reader is None
    assert TextRecognition().is_installed is packages
    assert "pip install 'citemark[ocr]'" in TextRecognition().missing
    assert "apt install tesseract-ocr" in TextRecognition().missing
