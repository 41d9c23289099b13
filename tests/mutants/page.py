"""What the mutants came to, as a table for the terminal and as docs/mutants.md."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from tests.mutants.equivalents import EQUIVALENTS
from tests.mutants.mutations import Mutant
from tests.mutants.rooms import ROOT

PAGE = ROOT / "docs" / "mutants.md"
BAR = 0.85
_LONGEST = 90
"""Characters of code that a row shows."""

Tried = Mapping[str, Sequence[tuple[Mutant, dict[str, Any] | None]]]
"""The sample of each room, each mutant with its outcome where it has one."""

_HEAD = """# Mutants

`make mutants` changes the code in small ways, one at a time, and runs the tests that cover the changed line: a change
that no test notices shows what the tests do not check. The last complete run wrote this page (`--write`);
[CONTRIBUTING.md](../CONTRIBUTING.md) explains how to use it.
"""

_HOW = """
The operators are those of mutmut 3. Its own runner cannot be used here: it changes only functions, whereas limits and
weights of this project are module constants, and it cannot draw a seeded sample. cosmic-ray runs one command for all
mutants, so it would run every test for each. Texts, annotations, decorators and logging are not changed. For each
mutant, the tests of its module run first, then the fastest that cover its line, for at most 45 seconds; a mutant that
only a slower test would notice counts as a survivor.
"""


@dataclass(frozen=True, slots=True)
class Score:
    """How a room stands."""

    room: str
    tried: int
    killed: int
    equivalent: int
    left: int

    @property
    def share(self) -> float:
        """Killed, of those that could be."""
        return self.killed / max(1, self.tried - self.equivalent)


def scores(tried: Tried) -> Iterator[Score]:
    """The rooms, one after the other."""
    for room, mutants in tried.items():
        done = [(mutant, outcome) for mutant, outcome in mutants if outcome is not None]
        killed = sum(outcome["state"] in {"killed", "slow"} for _, outcome in done)
        equivalent = sum(mutant.ident in EQUIVALENTS for mutant, _ in _survivors(tried, room, equivalents=True))
        yield Score(room, len(done), killed, equivalent, len(mutants) - len(done))


def _survivors(tried: Tried, room: str, *, equivalents: bool = False) -> Iterator[tuple[Mutant, dict[str, Any]]]:
    for mutant, outcome in tried[room]:
        if outcome is None or outcome["state"] not in {"survived", "uncovered"}:
            continue
        if equivalents == (mutant.ident in EQUIVALENTS):
            yield mutant, outcome


def table(tried: Tried) -> tuple[str, bool]:
    """Scores and survivors for the terminal, and whether every room reaches the bar."""
    lines: list[str] = []
    for room in tried:
        lines += [
            f"{room}: {outcome['state']} {mutant.ident} {mutant.path}:{mutant.first_line} {mutant.scope}: "
            + _change(mutant)
            for mutant, outcome in _survivors(tried, room)
        ]
    found = list(scores(tried))
    lines += [
        f"{each.room:10} {each.share:6.1%}  {each.killed} killed of {each.tried}, {each.equivalent} equivalent"
        + (f", {each.left} still to try" if each.left else "")
        for each in found
    ]
    return "\n".join(lines), all(each.share >= BAR and not each.left for each in found)


def page(tried: Tried, seed: str, on: date) -> str:
    """The page of docs."""
    found = list(scores(tried))
    lines = [_HEAD, f"Seed `{seed}`, {sum(each.tried for each in found)} mutants, {on.isoformat()}.", ""]
    lines += ["| room | tried | killed | equivalent | score | bar |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {each.room} | {each.tried} | {each.killed} | {each.equivalent} | {each.share:.1%} | >= {BAR:.0%} |"
        for each in found
    ]
    lines += [_HOW, "## Equivalent", "", "No test can distinguish these from the original code.", ""]
    lines += ["| where | change | why |", "|---|---|---|"]
    lines += [
        f"| {_where(mutant)} | {_cell(_change(mutant))} | {EQUIVALENTS[mutant.ident]} |"
        for room in tried
        for mutant, _ in _survivors(tried, room, equivalents=True)
    ]
    lines += ["", "## Survivors", "", "| where | change |", "|---|---|"]
    lines += [
        f"| {_where(mutant)} | {_cell(_change(mutant))} |" for room in tried for mutant, _ in _survivors(tried, room)
    ]
    return "\n".join(lines) + "\n"


def _where(mutant: Mutant) -> str:
    return f"`{mutant.path}` {mutant.scope}".rstrip()


def _change(mutant: Mutant) -> str:
    """The first lines that differ, before and after."""
    return f"{_short(mutant.before)} -> {_short(mutant.after)}"


def _cell(text: str) -> str:
    return "`" + text.replace("|", "\\|").replace("`", "'") + "`"


def _short(code: str) -> str:
    one = " ".join(code.split())
    return one if len(one) <= _LONGEST else one[: _LONGEST - 1] + "…"
