"""Runs of text as formats store them, and how what is only in their look is written: place, and struck-out words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from citemark.text.marks import STRUCK
from citemark.text.raised import RAISED, lowered, raised


@dataclass(frozen=True, slots=True)
class Look:
    """What the look of a text says: `place` is above 0 if it is raised and below 0 if it is lowered."""

    place: int = 0
    struck: bool = False

    def with_(self, *, place: int = 0, struck: bool = False) -> "Look":
        """This look with what an inner element adds."""
        return Look(place or self.place, struck or self.struck) if place or struck else self


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of text as a format stores it; `target` is where it links to, "" for plain text."""

    text: str
    target: str = ""
    look: Look = PLAIN


def written(runs: Sequence[TextRun]) -> Sequence[TextRun]:
    """The runs as they are written, without looks: raised and lowered text in its written form, `~~` around struck."""
    if all(run.look is PLAIN or run.look == PLAIN for run in runs):
        return runs
    return list(_struck(_placed(runs)))


def _placed(runs: Sequence[TextRun]) -> Iterator[TextRun]:
    """The runs with every raised or lowered stretch in its written form."""
    before = ""
    for place, stretch in groupby(runs, key=lambda run: run.look.place):
        behind_another = False
        for target, same in groupby(stretch, key=lambda run: run.target):
            parts = list(same)
            if place:
                text = _in_place("".join(run.text for run in parts), place, target, before)
                # The marks of two notes side by side are not one number.
                text = f" {text}" if behind_another and text[:1] in RAISED else text
                parts = [TextRun(text, target, parts[0].look)]
                behind_another = bool(text.strip())
            for run in parts:
                before = (run.text[-1:] or before).strip()
                yield run


def _in_place(text: str, place: int, target: str, before: str) -> str:
    if place < 0:
        return lowered(text)
    core = text.strip()
    if target.startswith("#") and core.isalnum():
        return text.replace(core, f"[{core}]")  # it leads to a note of the page
    return raised(text, before)


def _struck(runs: Iterator[TextRun]) -> Iterator[TextRun]:
    for struck, stretch in groupby(runs, key=lambda run: run.look.struck):
        parts = [replace(run, look=PLAIN) for run in stretch]
        filled = [index for index, run in enumerate(parts) if run.text.strip()]
        if not struck or not filled:
            yield from parts
            continue
        for index, run in enumerate(parts):
            core = run.text.strip()
            if not core:
                yield run
                continue
            start = run.text.index(core)
            yield TextRun(run.text[:start])
            if index == filled[0]:
                yield TextRun(STRUCK)
            yield replace(run, text=core)
            if index == filled[-1]:
                yield TextRun(STRUCK)
            yield TextRun(run.text[start + len(core) :])
