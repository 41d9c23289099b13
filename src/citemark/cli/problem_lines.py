"""Problems for a person: one line for each kind of them, with the documents that have it."""

from collections.abc import Mapping, Sequence

from citemark.cli.counting import counted
from citemark.model.status import ReportedProblem

_NAMED = 3
"""Documents that a line names; `citemark problems` lists all."""


def problem_lines(name: str, problems: Sequence[ReportedProblem], *, more: bool = False) -> list[str]:
    """The problems of a source, grouped by what they say, the most frequent first.

    Args:
        name: the source.
        problems: those that are shown.
        more: whether there are others.
    """
    if not problems:
        return []
    groups: dict[str, list[str]] = {}
    for problem in problems:
        groups.setdefault(problem.message, []).append(problem.native_id)
    number = f"more than {len(problems):,} problems" if more else counted(len(problems), "problem")
    heading = f"{name}: {number}; `citemark problems {name}` lists {'it' if len(problems) == 1 else 'them'}"
    return [heading, *(f"  {line}" for line in _group_lines(groups))]


def _group_lines(groups: Mapping[str, Sequence[str]]) -> list[str]:
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    lines: list[str] = []
    for message, documents in ordered:
        named = ", ".join(documents[:_NAMED])
        rest = len(documents) - _NAMED
        among = named if rest <= 0 else f"{named} and {rest:,} more"
        lines.append(f"{among}: {message}" if len(documents) == 1 else f"{len(documents):,} ({among}): {message}")
    return lines
