"""The reports of an evaluation: one JSON object, and aligned tables for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from citemark.evaluation.outcome import CurvePoint, GoldenRow, RankedRow, Summary
from citemark.evaluation.rankings import mean

Cell = str | int | float | None


def table(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Columns two blanks apart: text left-aligned, numbers right-aligned, rates with three digits, None as a dash."""
    grid = [list(head), *([_show(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(head))]
    numeric = [all(not isinstance(row[column], str) for row in rows) and bool(rows) for column in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in grid
    ]
    return "\n".join(lines)


def _show(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


_WORST = 10
"""The most failures to show in the terminal; --json and --html have all."""

_SHOWN = 3
"""The most hits or pages to show per failure."""

_QUESTION_CHARS = 100
"""The most characters of a question to show per line."""


@dataclass(frozen=True, slots=True)
class GoldenReport:
    """The result of asking a golden file; `min_score` is the threshold that was in force.

    `beside` holds the figures of the same questions asked in other ways, by name.
    """

    summary: Summary
    rows: tuple[GoldenRow, ...]
    curve: tuple[CurvePoint, ...]
    min_score: float
    beside: Mapping[str, Summary] = field(default_factory=dict[str, Summary])

    def as_dict(self) -> dict[str, Any]:
        """One JSON object: the figures, the abstention curve, a row per question."""
        return {
            **self.summary.as_dict(),
            "min_score": self.min_score,
            **{name: summary.as_dict() for name, summary in self.beside.items()},
            "curve": [point.as_dict() for point in self.curve],
            "rows": [row.as_dict() for row in self.rows],
        }

    def render(self) -> str:
        """Figures, kinds, curve and misses, for people."""
        parts = [
            _figures(self.summary, self.min_score),
            _beside(self.summary, self.beside),
            _savings(self.rows),
            _kinds(self.rows),
            _curve(self.curve, self.summary),
            _misses(self.rows),
        ]
        return "\n\n".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class BeirReport:
    """The result of indexing and querying a test collection."""

    name: str
    documents: int
    summary: Summary
    rows: tuple[RankedRow, ...]
    min_score: float

    def as_dict(self) -> dict[str, Any]:
        """One JSON object: the figures and a row per question."""
        return {
            **self.summary.as_dict(),
            "collection": self.name,
            "documents": self.documents,
            "min_score": self.min_score,
            "rows": [row.as_dict() for row in self.rows],
        }

    def render(self) -> str:
        """Figures and the questions with the worst rankings, for people."""
        worst = sorted(self.rows, key=lambda row: (row.ndcg_at_10, row.question_id))[:_WORST]
        lines: list[Sequence[Cell]] = [
            (
                row.question_id,
                row.ndcg_at_10,
                row.top_score,
                row.question[:_QUESTION_CHARS],
                ", ".join(hit.page for hit in row.shown[:_SHOWN]) or "nothing",
            )
            for row in worst
        ]
        head = f"{self.name}: {self.documents} documents"
        weakest = "Weakest questions\n" + table(("id", "nDCG@10", "score", "question", "found"), lines)
        return "\n\n".join([head, _figures(self.summary, self.min_score), weakest])


def _figures(summary: Summary, min_score: float) -> str:
    rows: list[Sequence[Cell]] = [(name.replace("_", " "), value) for name, value in summary.as_dict().items()]
    width = max(len(str(row[0])) for row in rows)
    lines = [
        f"{row[0]!s:<{width}}  {'-' if row[1] is None else f'{row[1]:.3f}' if isinstance(row[1], float) else row[1]}"
        for row in rows
    ]
    return "\n".join([*lines, f"{'threshold':<{width}}  {min_score:.2f}"])


def _beside(summary: Summary, beside: Mapping[str, Summary]) -> str:
    """The figures that phrasings change, with the phrasings and in the other ways of asking."""
    if not beside:
        return ""
    lines: list[Sequence[Cell]] = [
        (
            name,
            figures.document_hit_at_5,
            figures.evidence_hit_at_5,
            figures.mrr,
            figures.abstained,
            figures.wrongly_abstained,
        )
        for name, figures in (
            ("with phrasings", summary),
            *((name.replace("_", " "), figures) for name, figures in beside.items()),
        )
    ]
    return table(("asked", "document", "evidence", "mrr", "rejected", "wrongly rejected"), lines)


def _savings(rows: Sequence[GoldenRow]) -> str:
    shares = [row.evidence_bytes / row.section_bytes for row in rows if row.section_bytes]
    if not shares:
        return ""
    evidence = sum(row.evidence_bytes for row in rows if row.section_bytes)
    sections = sum(row.section_bytes for row in rows)
    return (
        f"Evidence weighs {evidence / sections:.3f} of the full sections of the same hits "
        f"({evidence} of {sections} bytes over {len(shares)} questions)."
    )


def _kinds(rows: Sequence[GoldenRow]) -> str:
    lines: list[Sequence[Cell]] = []
    for kind in dict.fromkeys(row.kind for row in rows):
        of_kind = [row for row in rows if row.kind == kind]
        answerable = [row for row in of_kind if row.answerable]
        lines.append(
            (
                kind,
                len(of_kind),
                mean([row.document_hit for row in answerable]) if answerable else None,
                mean([row.evidence_hit for row in answerable]) if answerable else None,
                mean([row.reciprocal_rank for row in answerable]) if answerable else None,
                sum(row.abstained and not row.withheld if row.answerable else row.rejected for row in of_kind),
                mean([row.top_score for row in of_kind]),
            )
        )
    return table(("kind", "questions", "document", "evidence", "mrr", "rejected", "mean score"), lines)


def _curve(points: Sequence[CurvePoint], summary: Summary) -> str:
    unanswerable = summary.questions - summary.answerable
    lines: list[Sequence[Cell]] = [
        (
            f"{point.threshold:.2f}",
            f"{point.answerable_kept} of {summary.answerable}",
            f"{point.unanswerable_rejected} of {unanswerable}",
        )
        for point in points
    ]
    return table(("threshold", "answerable kept", "unanswerable rejected"), lines)


def _misses(rows: Sequence[GoldenRow]) -> str:
    lines = [line for row in rows for line in _miss(row)]
    return "\n".join(["Misses", *lines]) if lines else "No misses."


def _miss(row: GoldenRow) -> list[str]:
    if row.answerable and row.evidence_hit:
        return []
    if not row.answerable and row.rejected:
        return []
    if row.abstained and row.withheld:
        why = f"{row.withheld} hits withheld: their source could not vouch for them"
    elif not row.answerable:
        why = "answered although nothing answers it"
    elif row.abstained:
        why = "lost to the threshold"
    elif row.document_hit:
        why = "the page is shown, the answer is not among the quotes"
    else:
        why = f"first expected page at rank {row.rank}" if row.rank else "no expected page within 100"
    lines = [f"  {row.question_id} ({row.kind}): {row.question}", f"    {why}; best score {row.top_score:.3f}"]
    if row.expected:
        extra = len(row.expected) - _SHOWN
        lines.append(f"    expected: {', '.join(row.expected[:_SHOWN])}" + (f" and {extra} more" if extra > 0 else ""))
    return [*lines, *(f"    found {hit.score:.3f}  {hit.section}" for hit in row.shown)]
