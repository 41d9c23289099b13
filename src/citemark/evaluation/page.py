"""An evaluation as one HTML page: figures, charts, kinds, every question; another run beside it when given."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from citemark.evaluation.comparison import Comparison, figures
from citemark.evaluation.metrics import mean
from citemark.evaluation.plots import Axes, Series, bar_chart, line_chart
from citemark.evaluation.saved import SavedRow, SavedRun

_RANKS = (1, 2, 3, 5, 10, 20, 30, 50, 75, 100)
_BIN = 1000
_MOST_BINS = 12
_LESS_IS_BETTER = frozenset({"wrongly_abstained", "bytes_median"})


def html_page(run: SavedRun, name: str, comparison: Comparison | None = None) -> str:
    """The page: no script, no network, one file."""
    from jinja2 import Environment  # noqa: PLC0415 - a terminal's evaluation needs no template engine

    template = files("citemark.evaluation").joinpath("page.html.j2").read_text("utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    earlier = None if comparison is None else comparison.before
    values: dict[str, Any] = {
        "name": name,
        "run": run,
        "figures": list(figures(earlier or run, run)),
        "compared": comparison is not None,
        "less_is_better": _LESS_IS_BETTER,
        "comparison": comparison,
        "charts": _charts(run, earlier),
        "kinds": kinds(run.rows),
        "misses": [row for row in run.rows if _missed(row)],
    }
    return environment.from_string(template).render(values)


def kinds(rows: Sequence[SavedRow]) -> list[dict[str, Any]]:
    """Per kind of question: how many, and what share reached each goal (None where nothing can be reached)."""
    found: list[dict[str, Any]] = []
    for kind in dict.fromkeys(row.kind for row in rows):
        own = [row for row in rows if row.kind == kind]
        asked = [row for row in own if row.answerable]
        cut = [row for row in asked if row.evidence_hit is not None]
        found.append(
            {
                "kind": kind,
                "questions": len(own),
                "document": mean([row.document_hit for row in asked]) if asked else None,
                "evidence": mean([bool(row.evidence_hit) for row in cut]) if cut else None,
                "ndcg": mean([row.ndcg_at_10 for row in asked]) if asked else None,
                "rejected": sum(row.abstained for row in own),
                "score": mean([row.top_score for row in own]),
            }
        )
    return found


def _charts(run: SavedRun, earlier: SavedRun | None) -> list[tuple[str, str]]:
    runs = [("this run", run), *([("earlier run", earlier)] if earlier else [])]
    charts = [("Recall against rank", _recall(runs)), ("Reached, by kind of question", _by_kind(run))]
    if run.curve:
        charts.append(("Abstention", _abstention(run)))
    if any(row.evidence_bytes for row in run.rows):
        charts.append(("Bytes of one answer", _bytes(runs)))
    return charts


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
    return line_chart(lines, axes, "Share of questions whose first right page stands at or above a rank")


def _by_kind(run: SavedRun) -> str:
    bars = [
        (entry["kind"], [entry["document"] or 0.0, entry["evidence"] or 0.0])
        for entry in kinds([row for row in run.rows if row.answerable])
    ]
    axes = Axes("kind", "share of questions", 1.0, 1.0, percent=True)
    return bar_chart(bars, ("page in the top 5", "answer in the quotes"), axes, "Reached, by kind of question")


def _abstention(run: SavedRun) -> str:
    without = run.questions - run.answerable
    lines = [
        Series("answerable kept", [(p.threshold, p.answerable_kept / run.answerable) for p in run.curve])
        if run.answerable
        else Series("answerable kept", []),
        Series("unanswerable rejected", [(p.threshold, p.unanswerable_rejected / without) for p in run.curve])
        if without
        else Series("unanswerable rejected", []),
    ]
    return line_chart(
        lines, Axes("threshold", "share", 1.0, 1.0, percent=True), "What each threshold keeps and rejects"
    )


def _bytes(runs: Sequence[tuple[str, SavedRun]]) -> str:
    weights = [[row.evidence_bytes or 0 for row in run.rows if row.evidence_bytes is not None] for _, run in runs]
    last = min(_MOST_BINS, max((max(each, default=0) for each in weights), default=0) // _BIN + 1)
    counts = [[sum(min(weight // _BIN, last - 1) == at for weight in each) for each in weights] for at in range(last)]
    bars = [
        (f"{at}-{at + 1} KB" if at < last - 1 else f"{at} KB up", [float(n) for n in of])
        for at, of in enumerate(counts)
    ]
    most = max((max(of) for of in counts), default=0)
    return bar_chart(
        bars,
        [name for name, _ in runs],
        Axes("evidence", "questions", 1.0, 4.0 * (most // 4 + 1)),
        "Bytes of one answer",
    )


def _missed(row: SavedRow) -> bool:
    if not row.answerable:
        return not row.abstained
    return not row.document_hit if row.evidence_hit is None else not row.evidence_hit
