"""The form of an entry: what one clause asks, where it stands, and how it stands with us."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

UNOPENED = 0
"""The issue of work that the design announces and no open issue carries yet."""

ISSUES: Mapping[int, str] = MappingProxyType(
    {
        UNOPENED: "no issue yet",
        2: "the spine",
        3: "breadth",
        4: "Nextcloud",
        5: "answers",
        6: "architecture models",
        7: "clients and truth",
        9: "evidence and phrasings",
        10: "the past",
        11: "one graph",
        12: "many people",
        13: "tests that can fail",
        14: "hostile content",
        15: "absence",
        16: "reading",
        17: "what an agent pays for",
        18: "what belongs in an index",
        19: "features as contributions",
        20: "two lists of tools",
        21: "trusted every day",
        22: "speed",
        23: "the page",
        24: "gRPC",
        25: "past one machine",
        26: "installing",
        27: "wishes",
    }
)


class Status(StrEnum):
    """How a clause stands."""

    MET = "met"
    MISSED = "missed"
    PLANNED = "planned"
    OVERRULED = "overruled"
    OUT_OF_SCOPE = "out_of_scope"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One checkable behaviour that a founding document, a ruling or an issue asks for.

    `source` is the document and its section, `also` are further ones that ask for the same; `citations.py` leads to a
    page for each. `ruling` is the id in DECISIONS that changes or sets aside the clause or,
    where no ruling speaks, the reason in a few words. `tests` names proofs that carry no marker, as `path` or
    `path::name` from the root of the repository.
    """

    id: str
    source: str
    clause: str
    status: Status
    ruling: str = ""
    issue: int | None = None
    tests: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The document without the section."""
        return self.source.split(" ", 1)[0]


def met(
    ident: str,
    source: str,
    issue: int,
    clause: str,
    ruling: str = "",
    tests: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> Requirement:
    """Make the entry of a clause that tests hold."""
    return Requirement(ident, source, clause, Status.MET, ruling, issue, tests, also)


def missed(ident: str, source: str, issue: int, clause: str, why: str, also: tuple[str, ...] = ()) -> Requirement:
    """Make the entry of a bar that was measured and is not reached; `why` in a few words."""
    return Requirement(ident, source, clause, Status.MISSED, why, issue, also=also)


def planned(
    ident: str,
    source: str,
    issue: int,
    clause: str,
    ruling: str = "",
    tests: tuple[str, ...] = (),
    also: tuple[str, ...] = (),
) -> Requirement:
    """Make the entry of a clause that an issue is to build, `ruling` saying what changes it on the way."""
    return Requirement(ident, source, clause, Status.PLANNED, ruling, issue, tests, also)


def overruled(ident: str, source: str, ruling: str, clause: str, also: tuple[str, ...] = ()) -> Requirement:
    """Make the entry of a clause that a ruling replaces."""
    return Requirement(ident, source, clause, Status.OVERRULED, ruling, also=also)


def out_of_scope(ident: str, source: str, reason: str, clause: str, also: tuple[str, ...] = ()) -> Requirement:
    """Make the entry of a clause that will not be built, or not in these issues."""
    return Requirement(ident, source, clause, Status.OUT_OF_SCOPE, reason, also=also)
