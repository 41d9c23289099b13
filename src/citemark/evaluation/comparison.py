"""Two evaluations of the same questions, side by side: what changed, and whether chance would explain it.

An earlier evaluation is read back from the JSON object that `citemark eval --json` prints.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from citemark.evaluation.rankings import mean
from citemark.evaluation.report import Cell, table
from citemark.model.errors import InvalidArgument


class SavedHit(BaseModel):
    """A hit as shown: a test collection names its documents, golden questions name pages and sections."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    score: float
    page: str = ""
    section: str = ""
    document: str = ""

    @property
    def name(self) -> str:
        """The name to show: the section, or else the page or document."""
        return self.section or self.page or self.document


class SavedRow(BaseModel):
    """One question; what a test collection does not measure is None."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    question: str
    kind: str = "question"
    answerable: bool = True
    abstained: bool = False
    document_hit: bool
    evidence_hit: bool | None = None
    rank: int | None = None
    ndcg_at_10: float
    recall_at_100: float
    mrr: float | None = None
    top_score: float
    evidence_bytes: int | None = None
    section_bytes: int | None = None
    expected: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    shown: tuple[SavedHit, ...] = ()
    told: str = ""
    withheld: int = 0

    @property
    def rejected(self) -> bool:
        """Whether the reader was told that there is no answer, or got nothing although nothing was withheld."""
        return bool(self.told) or (self.abstained and not self.withheld)

    @property
    def first_rank(self) -> int | None:
        """The 1-based rank of the first right document, or None if none is among the first hundred."""
        if self.rank is not None or not self.mrr:
            return self.rank
        return round(1 / self.mrr)


class SavedPoint(BaseModel):
    """A point of the abstention curve."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    threshold: float
    answerable_kept: int
    unanswerable_rejected: int


class SavedRun(BaseModel):
    """One evaluation: its figures and a row per question."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    questions: int
    answerable: int
    document_hit_at_5: float
    evidence_hit_at_5: float | None
    mrr: float
    ndcg_at_10: float
    recall_at_100: float
    abstained: int
    wrongly_abstained: int
    bytes_median: int | None
    min_score: float
    collection: str | None = None
    curve: tuple[SavedPoint, ...] = ()
    rows: tuple[SavedRow, ...]


def read_run(path: Path) -> SavedRun:
    """Read the evaluation in a file.

    Raises:
        InvalidArgument: there is no such file, or it is not what `citemark eval --json` prints.
    """
    try:
        return SavedRun.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidArgument(f"The evaluation {path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InvalidArgument(
            f"{path} is not an evaluation as `citemark eval --json` prints it: {where}: {first['msg']}."
        ) from None


FIGURES = (
    "document_hit_at_5",
    "evidence_hit_at_5",
    "mrr",
    "ndcg_at_10",
    "recall_at_100",
    "abstained",
    "wrongly_abstained",
    "bytes_median",
)
_QUESTION_CHARS = 90
"""The most characters of a question to show per line."""

_MOST = 12
"""The most questions to list as gained and as lost; --html has all."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A question whose outcome changed; `before` and `after` are the values that are compared."""

    question_id: str
    kind: str
    question: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class KindShift:
    """What one kind of question reached before and after, in 0..1."""

    kind: str
    questions: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """`after` against `before` over the questions that both asked.

    `measure` names what a question is judged by: evidence if both runs have it, otherwise nDCG@10. `chance` is the
    two-sided sign test over the questions that moved: how often a fair coin would give a count at least as uneven.
    """

    before: SavedRun
    after: SavedRun
    measure: str
    common: int
    only_before: int
    only_after: int
    gained: tuple[Moved, ...]
    lost: tuple[Moved, ...]
    kinds: tuple[KindShift, ...]
    chance: float

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "measure": self.measure,
            "common": self.common,
            "only_before": self.only_before,
            "only_after": self.only_after,
            "figures": {
                name: {"before": before, "after": after} for name, before, after in figures(self.before, self.after)
            },
            "kinds": [
                {"kind": shift.kind, "questions": shift.questions, "before": shift.before, "after": shift.after}
                for shift in self.kinds
            ],
            "gained": [moved.question_id for moved in self.gained],
            "lost": [moved.question_id for moved in self.lost],
            "chance": round(self.chance, 4),
        }

    def render(self) -> str:
        """The comparison for people: figures, kinds, questions gained and lost."""
        rows: list[Sequence[Cell]] = [
            (name.replace("_", " "), before, after, None if before is None or after is None else after - before)
            for name, before, after in figures(self.before, self.after)
        ]
        kinds: list[Sequence[Cell]] = [
            (shift.kind, shift.questions, shift.before, shift.after, shift.after - shift.before) for shift in self.kinds
        ]
        verdict = (
            f"By {self.measure.replace('_', ' ')}: {len(self.gained)} gained, {len(self.lost)} lost of {self.common} "
            f"questions in both; chance alone: {self.chance:.2f}."
        )
        parts = [
            "Compared with the earlier run\n" + table(("figure", "before", "after", "change"), rows),
            table(("kind", "questions", "before", "after", "change"), kinds),
            verdict,
            _listed("Gained", self.gained),
            _listed("Lost", self.lost),
        ]
        if self.only_before or self.only_after:
            parts.append(
                f"Not compared: {self.only_before} only in the earlier run, {self.only_after} only in this one."
            )
        return "\n\n".join(part for part in parts if part)


def figures(before: SavedRun, after: SavedRun) -> Iterable[tuple[str, float | None, float | None]]:
    """The name, earlier value and later value of each figure."""
    return ((name, getattr(before, name), getattr(after, name)) for name in FIGURES)


def compare(before: SavedRun, after: SavedRun) -> Comparison:
    """Compare two runs question by question."""
    earlier = {row.id: row for row in before.rows}
    pairs = [(earlier[row.id], row) for row in after.rows if row.id in earlier]
    measure = "evidence_hit" if all(_has_evidence(*pair) for pair in pairs) and pairs else "ndcg_at_10"
    judged = [(old, new, _value(old, measure), _value(new, measure)) for old, new in pairs if new.answerable]
    moved = [
        Moved(new.id, new.kind, new.question, was, now)
        for _, new, was, now in judged
        if abs(now - was) > 1e-9  # noqa: PLR2004
    ]
    gained = sorted((m for m in moved if m.after > m.before), key=lambda m: (m.before - m.after, m.question_id))
    lost = sorted((m for m in moved if m.after < m.before), key=lambda m: (m.after - m.before, m.question_id))
    return Comparison(
        before=before,
        after=after,
        measure=measure,
        common=len(judged),
        only_before=len(before.rows) - len(pairs),
        only_after=len(after.rows) - len(pairs),
        gained=tuple(gained),
        lost=tuple(lost),
        kinds=tuple(_shifts([(new.kind, was, now) for _, new, was, now in judged])),
        chance=sign_test(len(gained), len(lost)),
    )


def sign_test(gained: int, lost: int) -> float:
    """The two-sided probability, in 0..1, that a fair coin divides this many moves at least as unevenly."""
    moves = gained + lost
    tail = sum(comb(moves, k) for k in range(min(gained, lost) + 1)) / 2**moves
    return min(1.0, 2 * tail)


def _shifts(judged: Sequence[tuple[str, float, float]]) -> Iterable[KindShift]:
    for kind in dict.fromkeys(kind for kind, _, _ in judged):
        pairs = [(was, now) for pair_kind, was, now in judged if pair_kind == kind]
        yield KindShift(kind, len(pairs), mean([was for was, _ in pairs]), mean([now for _, now in pairs]))


def _has_evidence(old: SavedRow, new: SavedRow) -> bool:
    return old.evidence_hit is not None and new.evidence_hit is not None


def _value(row: SavedRow, measure: str) -> float:
    return float(bool(row.evidence_hit)) if measure == "evidence_hit" else row.ndcg_at_10


def _listed(head: str, moved: Sequence[Moved]) -> str:
    if not moved:
        return ""
    lines = [
        f"  {m.question_id} ({m.kind}) {m.before:.2f} -> {m.after:.2f}: {m.question[:_QUESTION_CHARS]}"
        for m in moved[:_MOST]
    ]
    more = [f"  and {len(moved) - _MOST} more"] if len(moved) > _MOST else []
    return "\n".join([head, *lines, *more])
