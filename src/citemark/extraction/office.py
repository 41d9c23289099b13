"""What the office formats share: saying what is wrong with a file, and what makes the head of a table."""

import re
import warnings
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from struct import error as struct_error
from zipfile import BadZipFile

from lxml import etree

from citemark.model.errors import SkippableSourceError

_FIGURES = re.compile(r"[\d\s.,:/%€$£+\-()]*\d[\d\s.,:/%€$£+\-()]*")
_RAISED_BY_PARSERS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    BadZipFile,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    etree.LxmlError,
    struct_error,
    zlib.error,
)


@contextmanager
def reading(what: str) -> Generator[None, None, None]:
    """Turn whatever a library raises over the bytes of a broken `what` ("Word document") into a refusal.

    What it warns of is silenced for the whole process: callers read one file at a time, in a process for that.

    Raises:
        SkippableSourceError: the file is broken.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except _RAISED_BY_PARSERS as error:
        raise broken(what, str(error)) from error


def broken(what: str, reason: str) -> SkippableSourceError:
    """What to raise for a file that is damaged, or is another kind of file than its name says."""
    reason = " ".join(reason.split())[:200].rstrip(". ") or "its parts do not fit together"
    return SkippableSourceError(
        f"The {what} is broken, or is another kind of file than its name says: {reason}. "
        "Open it in an office program and save it anew, or get it again."
    )


def locked(what: str) -> SkippableSourceError:
    """What to raise for a file behind a password."""
    return SkippableSourceError(
        f"The {what} is protected by a password. Save a copy without the password, or leave the file out of the source."
    )


def nothing_in(what: str) -> str:
    """What to say of a file without text."""
    return (
        f"The {what} holds no text. If it shows scanned pages, make their text readable with a program for text "
        "recognition first."
    )


def names_columns(row: Sequence[str]) -> bool:
    """True for a row that reads like the head of a table: two cells or more, each with words."""
    cells = [cell.strip() for cell in row]
    return len(cells) > 1 and all(cells) and not any(_FIGURES.fullmatch(cell) for cell in cells)
