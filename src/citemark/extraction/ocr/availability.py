"""Whether text recognition is installed, and what has a part in it; loads nothing of it."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from citemark.model.documents import suffix_of
from citemark.model.errors import ConfigurationError

OCR = "ocr"
"""The name of the reader that stands for text recognition."""

OCR_VERSION = 1
"""Raise it with each change that makes other text of the same picture; scans are then read again."""

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp"})
"""The suffixes of pictures that are read where a source asks for it."""

_MAY_HOLD_SCANS = frozenset({".pdf", ".eml"})

MISSING = "Text recognition is not installed here: `pip install 'citemark[ocr]'` adds it."


def is_installed() -> bool:
    """Whether the packages of the extra are there."""
    return find_spec("rapidocr") is not None


def asks_for_ocr(config: Mapping[str, Any]) -> bool:
    """Whether the stored configuration of a source asks for text recognition.

    Raises:
        ConfigurationError: the value is neither true nor false.
    """
    asked = config.get("ocr", False)
    if not isinstance(asked, bool):
        raise ConfigurationError(f"`ocr` of a source is true or false, not {asked!r}.")
    return asked


def versions_with_ocr(versions: Mapping[str, int], *, asked: bool) -> Mapping[str, int]:
    """The versions of readers, with that of text recognition if a source asks for it and it is installed."""
    return MappingProxyType({**versions, OCR: OCR_VERSION}) if asked and is_installed() else versions


def readers_with_ocr(readers: tuple[str, ...], name: str, *, asked: bool) -> tuple[str, ...]:
    """The readers that a file of this name is expected to need, with text recognition where it may have a part."""
    if not asked:
        return readers
    suffix = suffix_of(name)
    if suffix in PICTURES:
        return (OCR,)
    return (*readers, OCR) if suffix in _MAY_HOLD_SCANS else readers
