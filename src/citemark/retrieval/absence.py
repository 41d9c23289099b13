"""What a question asks for that the documents do not have, and the lines that tell it above a result.

Absence is told and never hides anything: a hit is shown when its own score passes (ADR 42). Every claim that something
is absent is worded here, and made only if everything in scope has been read and confirmed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from citemark.model.completeness import Reading

Told = Literal["", "names", "unsaid", "things"]

SURE = 0.7
"""From this confidence on, a result is called sure: nine out of ten questions that have an answer reach it."""

_UNSAID = (0.5, 0.66, 0.66, 0.65)
"""For one, two, three and more phrasings, the confidence below which the documents are said not to say: at most one in
fifty of the answerable questions in several phrasings is below, of the set of names, the fitted half of the personal
account and scifact (ADR 42)."""

NEAREST = 2
"""The hits and quotes that are shown for a question about a name that no document writes."""

ALSO = "`also`"
"""The argument that takes further phrasings, as most tools call it."""

_MOST_NAMES = 8
"""The most words that a line lists."""


@dataclass(frozen=True, slots=True)
class Absence:
    """What is absent of what a question asks for.

    `names` are those that no document writes. `central`: the question is about them, because nothing passes without
    them or because every one of several phrasings contains them. `words` are other words of the question that occur
    nowhere. `confidence` is that anything answers, over so many `phrasings`. `exact`: one of the best hits contains the
    only identifier asked for. `by_words`: there is no confidence, because no vectors were compared. `lacking` says what
    the nearest passages lack that an answer would have, such as an amount of money; "" if they lack nothing. `things`
    are those of the `words` that the question asks for, where they are enough to be told first. `rated`: the
    confidence is that of a ranking.
    """

    names: tuple[str, ...] = ()
    central: bool = False
    words: tuple[str, ...] = ()
    confidence: float = 1.0
    phrasings: int = 1
    exact: bool = False
    by_words: bool = False
    lacking: str = ""
    things: tuple[str, ...] = ()
    rated: bool = False

    @property
    def told(self) -> Told:
        """What is told first: a name that no document writes, that the documents do not say, or what none mentions."""
        if self.names:
            return "names"
        if self.unsaid:
            return "unsaid"
        return "things" if self.things else ""

    @property
    def unsaid(self) -> bool:
        """Whether the documents do not say: the confidence is that low, or the nearest passages lack what is asked."""
        least = _UNSAID[min(self.phrasings, len(_UNSAID)) - 1]
        return bool(self.lacking) or (self.confidence < least and not self.exact and not self.by_words)

    @property
    def known_confidence(self) -> float | None:
        """The confidence, or None if nothing was ranked, or by words alone."""
        return self.confidence if self.rated and not self.by_words else None

    @property
    def most_shown(self) -> int | None:
        """The most hits or quotes to show; None for as many as were asked for."""
        return NEAREST if self.central else None

    def line(self, reading: Reading, *, shown: bool) -> str:
        """The first line of a result, or "" if nothing is told. `shown`: passages follow it.

        `reading` is how far everything in scope was read and confirmed, which is known once the hits are verified.
        Only what is settled is called absent; of anything else the line says what was not found so far.
        """
        nearest = " Nearest passages:" if shown else ""
        if self.told == "names":
            return _unwritten(_listed(self.names), reading) + (nearest if self._perhaps_central else "")
        if self.told == "unsaid" and shown:
            return _unsaid(self.lacking or f"confidence {self.confidence:.2f}", reading) + nearest
        if self.told == "things" and shown:
            return _sentence(_unmentioned(", ".join(self.things), reading)) + nearest
        return ""

    @property
    def _told_things(self) -> tuple[str, ...]:
        """The things asked for that the first line tells."""
        return self.things if self.told == "things" else ()

    @property
    def _perhaps_central(self) -> bool:
        """Whether a question may be about its unknown names: one phrasing alone does not tell."""
        return self.central or (self.rated and self.phrasings == 1)

    def doubt(self, reading: Reading, *, shown: bool, also: str = ALSO) -> str:
        """The line that says in words how sure the result is, and how to ask better; "" if nothing is to be said.

        Words of the question that no document writes are named at any confidence.

        Args:
            reading: how far everything in scope was read and confirmed.
            shown: passages follow it.
            also: the argument that takes further phrasings; "" if the tool has none.
        """
        if not shown or self.exact or self.by_words:
            return ""
        words = self._unmentioned(reading, beside=self._told_things)
        if self.central or (self.confidence >= SURE and not self._told_things):
            return _sentence(words) if words else ""
        where = f" in {also}" if also else ""
        again = f"ask again with the documents' own terms{where}."
        if self.told in ("unsaid", "things"):
            return f"{_sentence(words)} Unless this answers, {again}" if words else f"Unless this answers, {again}"
        return f"It is not sure that this answers{f', and {words}' if words else ''}: if it does not, {again}"

    def notes(self, reading: Reading, *, shown: bool) -> list[str]:
        """What else is to be said about an empty result: the words that occur nowhere."""
        words = "" if shown or self.by_words else self._unmentioned(reading)
        return [words] if words else []

    def _unmentioned(self, reading: Reading, beside: Sequence[str] = ()) -> str:
        words = [word for word in self.words if word not in {*self.names, *beside}][:_MOST_NAMES]
        return _unmentioned(", ".join(words), reading) if words else ""


NOTHING_ABSENT = Absence()


def _sentence(words: str) -> str:
    """Words as a sentence."""
    return f"{words[0].upper()}{words[1:]}."


def _listed(names: Sequence[str]) -> str:
    """Names in quotation marks, joined by "or"."""
    *others, last = [f'"{name}"' for name in names[:_MOST_NAMES]]
    return f"{', '.join(others)} or {last}" if others else last


def _unwritten(names: str, reading: Reading) -> str:
    if not reading.settled:
        return f"{names} was not found{reading.so_far}."
    read = f": it is in {reading.searched}" if reading.failed else ""
    return f"No document read here writes {names}{read}."


def _unsaid(reason: str, reading: Reading) -> str:
    if not reading.settled:
        return f"No answer was found{reading.so_far} ({reason})."
    read = f": the answer was found in {reading.searched}" if reading.failed else ""
    return f"The documents do not say ({reason}){read}."


def _unmentioned(words: str, reading: Reading) -> str:
    if not reading.settled:
        return f"not found{reading.so_far}: {words}"
    failed = f"; {reading.failed:,} could not be read" if reading.failed else ""
    return f"no document here mentions {words}{failed}"
