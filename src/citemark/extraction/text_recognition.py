"""What recognises text on this machine, as the settings choose it, and what has a part in it; loads nothing of it."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from citemark.model.documents import suffix_of
from citemark.model.errors import ConfigurationError

if TYPE_CHECKING:
    from citemark.settings import Settings

OCR = "ocr"
"""The name of the reader that stands for text recognition by the packages of the extra."""

TESSERACT = "tesseract"
"""The name of the reader that stands for text recognition by that program, which is also the program's."""

OCR_VERSIONS: Mapping[str, int] = MappingProxyType({OCR: 1, TESSERACT: 1})
"""Raise one with each change that makes other text of the same picture; scans are then read again."""

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"})
"""The suffixes of pictures that are read where a source asks for it."""

_MAY_HOLD_SCANS = frozenset({".pdf", ".eml"})

_PACKAGES = "`pip install 'citemark[ocr]'`"
_PROGRAM = "`apt install tesseract-ocr tesseract-ocr-deu` for one that reads English and German"
_MISSING: Mapping[str, str] = MappingProxyType(
    {
        "auto": f"Text recognition is not installed here: {_PACKAGES} adds it, or install Tesseract: {_PROGRAM}.",
        "rapidocr": f"CITEMARK_OCR_ENGINE names rapidocr, which is not installed here: {_PACKAGES} adds it.",
        TESSERACT: f"CITEMARK_OCR_ENGINE names tesseract, and no such program is on the PATH: {_PROGRAM}.",
    }
)


@dataclass(frozen=True, slots=True)
class TextRecognition:
    """How text is recognised, as the settings choose it.

    Attributes:
        engine: the packages of the extra, the program Tesseract, or the first of them that is there.
        languages: by Tesseract's names, such as `deu`; empty for those that it has.
    """

    engine: Literal["auto", "rapidocr", "tesseract"] = "auto"
    languages: tuple[str, ...] = ()

    @classmethod
    def chosen(cls, settings: "Settings") -> "TextRecognition":
        """The choice of the settings."""
        return cls(settings.ocr_engine, settings.ocr_languages)

    @property
    def reader(self) -> str | None:
        """The name of the reader that recognises text, None if what the settings choose is not installed."""
        if self.engine != TESSERACT and find_spec("rapidocr") is not None:
            return OCR
        return TESSERACT if self.engine != "rapidocr" and _program() is not None else None

    @property
    def is_installed(self) -> bool:
        """Whether text can be recognised."""
        return self.reader is not None

    @property
    def missing(self) -> str:
        """What to tell where it is not installed."""
        return _MISSING[self.engine]

    def arguments(self, seconds: float) -> Mapping[str, Any]:
        """What a parsing process is told of it, for pages that may take so many seconds each."""
        program = _program() if self.reader == TESSERACT else None
        return {"program": program, "languages": list(self.languages), "seconds": seconds}

    def versions(self, versions: Mapping[str, int], *, asked: bool) -> Mapping[str, int]:
        """The versions of readers, with that of text recognition if a source asks for it and it is installed."""
        reader = self.reader if asked else None
        return versions if reader is None else MappingProxyType({**versions, reader: OCR_VERSIONS[reader]})


def asks_for_ocr(config: Mapping[str, Any]) -> bool:
    """Whether the stored configuration of a source asks for text recognition.

    Raises:
        ConfigurationError: the value is neither true nor false.
    """
    asked = config.get("ocr", False)
    if not isinstance(asked, bool):
        raise ConfigurationError(f"`ocr` of a source is true or false, not {asked!r}.")
    return asked


def readers_with_ocr(readers: tuple[str, ...], name: str, *, asked: bool) -> tuple[str, ...]:
    """The readers that a file of this name may need, with those of text recognition where they may have a part.

    Both are named: which of them is there changes, and only that one has a version.
    """
    if not asked:
        return readers
    suffix = suffix_of(name)
    if suffix in PICTURES:
        return tuple(OCR_VERSIONS)
    return (*readers, *OCR_VERSIONS) if suffix in _MAY_HOLD_SCANS else readers


def _program() -> str | None:
    return shutil.which(TESSERACT)
