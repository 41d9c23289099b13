"""What `citemark eval` measures: reports, and the kinds of files that features add to golden questions."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


class Report(Protocol):
    """The output of an evaluation: one JSON object, and text for people."""

    def as_dict(self) -> dict[str, Any]:
        """The report as a JSON object."""
        ...

    def render(self) -> str:
        """The report as text for people."""
        ...


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """A kind of golden file that is measured without an index.

    Attributes:
        holds: whether a file is of this kind.
        measure: measures it. Raises InvalidArgument if the file does not have the expected form.
        refusal: what to say if a page or a comparison of it is asked for, which only questions have.
    """

    holds: Callable[[Path], bool]
    measure: Callable[[Path], Report]
    refusal: str
