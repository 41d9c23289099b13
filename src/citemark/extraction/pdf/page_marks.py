"""What is on a PDF page besides its text: the values of form fields, and what people noted on it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class MarkKind(StrEnum):
    """The kinds of annotations that hold words of their own."""

    FIELD = "field"
    TYPED = "typed"
    COMMENT = "comment"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class PageMark:
    """A form field or an annotation.

    Attributes:
        kind: what it is; text that was typed onto the page is read like the page's own.
        label: what a form calls the field, or who wrote the comment; "" if the file does not say.
        text: the value or the words.
        is_box: whether the field is a box to tick, whose text is then "yes" or "no".
        top: where it begins, in points from the bottom of the page.
    """

    kind: MarkKind
    label: str
    text: str
    is_box: bool = False
    top: float = 0.0


def lines_of_marks(marks: Sequence[PageMark]) -> Iterator[str]:
    """The lines that a page gets for its marks, from top to bottom: "label: value", and "Comment by X: words"."""
    for mark in sorted(marks, key=lambda mark: -mark.top):
        match mark.kind:
            case MarkKind.FIELD:
                yield f"{mark.label}: {mark.text}" if mark.label else mark.text
            case MarkKind.TYPED:
                yield mark.text
            case MarkKind.COMMENT:
                yield f"Comment by {mark.label}: {mark.text}" if mark.label else f"Comment: {mark.text}"
            case MarkKind.FILE:
                yield f"Attached file: {mark.text}"
            case _:
                pass
