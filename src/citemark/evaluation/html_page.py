"""An evaluation as one HTML page with charts: figures, kinds, every question; compared with an earlier run if given."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from citemark.evaluation.charts import Axes, Series, bar_chart, line_chart
from citemark.evaluation.comparison import Comparison, SavedRow, SavedRun, figures
from citemark.evaluation.rankings import mean

_RANKS = (1, 2, 3, 5, 10, 20, 30, 50, 75, 100)
"""Where recall is plotted: closer together at the top, which is what people and models read."""

_BIN = 1000
"""Bytes per bar."""

_MOST_BINS = 12
"""The most bars that still have readable labels; the last one holds the rest."""

LESS_IS_BETTER = frozenset({"wrongly_abstained", "bytes_median"})
"""The figures that an improvement makes smaller."""


def html_page(run: SavedRun, name: str, comparison: Comparison | None = None) -> str:
    """The page as one file, which needs no script and no network."""
    from jinja2 import Environment  # noqa: PLC0415 - a terminal's evaluation needs no template engine

    template = files("citemark.evaluation").joinpath("page.html.j2").read_text("utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    earlier = None if comparison is None else comparison.before
    values: dict[str, Any] = {
        "name": name,
        "run": run,
        "figures": list(figures(earlier or run, run)),
        "compared": comparison is not None,
        "less_is_better": LESS_IS_BETTER,
        "comparison": comparison,
        "charts": charts(run, earlier),
        "kinds": kinds(run.rows),
        "misses": [row for row in run.rows if missed(row)],
    }
    return environment.from_string(template).render(values)


def kinds(rows: Sequence[SavedRow]) -> list[dict[str, Any]]:
    """For each kind of question: how many there are, and what share reached each goal (None if it has no goal)."""
    entries: list[dict[str, Any]] = []
    for kind in dict.fromkeys(row.kind for row in rows):
        of_kind = [row for row in rows if row.kind == kind]
        answerable = [row for row in of_kind if row.answerable]
        with_evidence = [row for row in answerable if row.evidence_hit is not None]
        entries.append(
            {
                "kind": kind,
                "questions": len(of_kind),
                "document": mean([row.document_hit for row in answerable]) if answerable else None,
                "evidence": mean([bool(row.evidence_hit) for row in with_evidence]) if with_evidence else None,
                "ndcg": mean([row.ndcg_at_10 for row in answerable]) if answerable else None,
                "rejected": sum(row.abstained if row.answerable else row.rejected for row in of_kind),
                "score": mean([row.top_score for row in of_kind]),
            }
        )
    return entries


def charts(run: SavedRun, earlier: SavedRun | None) -> list[tuple[str, str]]:
    """The charts of a run as SVG, each with its caption; an earlier run is drawn beside it."""
    runs = [("this run", run), *([("earlier run", earlier)] if earlier else [])]
    drawn = [("Recall against rank", _recall(runs)), ("Reached, by kind of question", _by_kind(run))]
    if run.curve:
        drawn.append(("Abstention", _abstention(run)))
    if any(row.evidence_bytes for row in run.rows):
        drawn.append(("Bytes of one answer", _bytes(runs)))
    return drawn


def _recall(runs: Sequence[tuple[str, SavedRun]]) -> str:
    lines: list[Series] = []
    for name, run in runs:
        ranks = [row.first_rank for row in run.rows if row.answerable]
        lines.append(
            Series(
                name, [(k, mean([rank is not None and rank <= k for rank in ranks])) for k in _RANKS] if ranks else []
            )
        )
    axes = Axes("rank", "questions with a right page so far up", _RANKS[-1], 1.0, percent=True)
    return line_chart(lines, axes, "Share of questions whose first right page is at or above a rank")


def _by_kind(run: SavedRun) -> str:
    bars = [
        (entry["kind"], [entry["document"] or 0.0, entry["evidence"] or 0.0])
        for entry in kinds([row for row in run.rows if row.answerable])
    ]
    axes = Axes("kind", "share of questions", 1.0, 1.0, percent=True)
    return bar_chart(bars, ("page in the top 5", "answer in the quotes"), axes, "Reached, by kind of question")


def _abstention(run: SavedRun) -> str:
    unanswerable = run.questions - run.answerable
    lines = [
        Series("answerable kept", [(p.threshold, p.answerable_kept / run.answerable) for p in run.curve])
        if run.answerable
        else Series("answerable kept", []),
        Series("unanswerable rejected", [(p.threshold, p.unanswerable_rejected / unanswerable) for p in run.curve])
        if unanswerable
        else Series("unanswerable rejected", []),
    ]
    return line_chart(
        lines, Axes("threshold", "share", 1.0, 1.0, percent=True), "What each threshold keeps and rejects"
    )


def _bytes(runs: Sequence[tuple[str, SavedRun]]) -> str:
    weights = [[row.evidence_bytes or 0 for row in run.rows if row.evidence_bytes is not None] for _, run in runs]
    last = min(_MOST_BINS, max((max(run_weights, default=0) for run_weights in weights), default=0) // _BIN + 1)
    counts = [
        [sum(min(weight // _BIN, last - 1) == index for weight in run_weights) for run_weights in weights]
        for index in range(last)
    ]
    bars = [
        (f"{index}-{index + 1} KB" if index < last - 1 else f"{index} KB up", [float(n) for n in group])
        for index, group in enumerate(counts)
    ]
    most = max((max(group) for group in counts), default=0)
    return bar_chart(
        bars,
        [name for name, _ in runs],
        Axes("evidence", "questions", 1.0, 4.0 * (most // 4 + 1)),
        "Bytes of one answer",
    )


def missed(row: SavedRow) -> bool:
    """Whether a question did not get what it expects."""
    if not row.answerable:
        return not row.rejected
    return not row.document_hit if row.evidence_hit is None else not row.evidence_hit
