import json
from dataclasses import replace

import pytest
from tests.support.in_memory_services import ME, NOW

from citemark.evaluation.golden_run import told_by
from citemark.evaluation.outcome import (
    NO_HIT,
    GoldenRow,
    RankedRow,
    ShownHit,
    abstention_curve,
    golden_curve,
    golden_summary,
    ranked_summary,
)
from citemark.evaluation.report import BeirReport, GoldenReport, table
from citemark.model.completeness import ALL_READ
from citemark.model.scope import ResolvedContext
from citemark.retrieval.absence import Absence
from citemark.services.responses import Evidence, NotShown, ResponseMeta

GOOD = GoldenRow(
    question_id="q1",
    question="How long?",
    kind="factual",
    answerable=True,
    abstained=False,
    document_hit=True,
    evidence_hit=True,
    rank=1,
    reciprocal_rank=1.0,
    ndcg_at_10=1.0,
    recall_at_100=1.0,
    top_score=0.9,
    confidence=0.8,
    evidence_bytes=100,
    section_bytes=1000,
    milliseconds=5.0,
    expected=("a.md",),
    shown=(ShownHit("a.md", "a.md#x", 0.9),),
    quotes=("four weeks",),
)
UNQUOTED = replace(GOOD, question_id="q2", evidence_hit=False, evidence_bytes=300)
LOST = replace(
    GOOD,
    question_id="q3",
    kind="paraphrase",
    abstained=True,
    document_hit=False,
    evidence_hit=False,
    rank=3,
    reciprocal_rank=1 / 3,
    ndcg_at_10=0.5,
    top_score=0.4,
    evidence_bytes=20,
    section_bytes=0,
    shown=(),
)
REJECTED = replace(
    GOOD,
    question_id="q4",
    kind="unanswerable",
    answerable=False,
    abstained=True,
    document_hit=False,
    evidence_hit=False,
    rank=None,
    top_score=0.3,
    evidence_bytes=20,
    expected=(),
    shown=(),
)
ANSWERED = replace(REJECTED, question_id="q5", abstained=False, top_score=0.6, shown=(ShownHit("b.md", "b.md#y", 0.6),))
ROWS = (GOOD, UNQUOTED, LOST, REJECTED, ANSWERED)


@pytest.mark.requirement("evaluation-counts-withheld-and-sent")
def test_what_was_withheld_counts_as_withheld_and_not_as_rejected_or_lost() -> None:
    kept_back = [replace(LOST, withheld=2), replace(REJECTED, withheld=1)]
    summary = golden_summary(kept_back)
    assert (summary.abstained, summary.wrongly_abstained, summary.withheld) == (0, 0, 2)
    text = GoldenReport(summary, tuple(kept_back), golden_curve(kept_back), 0.5).render()
    assert "2 hits withheld" in text
    assert "lost to the threshold" not in text


def test_being_told_that_the_answer_is_absent_counts_as_rejected_and_quotes_without_a_word_do_not() -> None:
    told = [replace(ANSWERED, told="names"), replace(ANSWERED, told="unsaid"), ANSWERED]
    assert (golden_summary(told).abstained, golden_summary(told).told_unanswerable) == (2, 2)
    answerable = [replace(GOOD, told="names"), replace(GOOD, told="unsaid"), GOOD]
    summary = golden_summary(answerable)
    assert (summary.told_names, summary.told_unsaid, summary.wrongly_abstained) == (1, 1, 0)
    unmentioned = golden_summary([replace(GOOD, told="things"), GOOD])
    assert (unmentioned.told_things, unmentioned.told_unsaid) == (1, 0)


@pytest.mark.requirement("asked-thing-unmentioned")
def test_a_thing_that_nothing_mentions_is_not_counted_as_if_the_documents_did_not_say() -> None:
    courier = Absence(words=("courier",), things=("courier",), confidence=0.8, rated=True)
    for absence, kind in ((courier, "things"), (Absence(confidence=0.2), "unsaid"), (Absence(("X500",)), "names")):
        shown = NotShown(absence=absence)
        meta = ResponseMeta.of(ME, ResolvedContext(NOW), reading=ALL_READ, not_shown=shown)
        assert told_by(Evidence((), meta)) == kind


def report() -> GoldenReport:
    return GoldenReport(golden_summary(ROWS), ROWS, golden_curve(ROWS), 0.5)


@pytest.mark.requirement("evaluation-gives-named-figures")
def test_rates_are_over_answerable_questions_and_counts_are_integers() -> None:
    data = report().as_dict()
    assert data["questions"] == 5
    assert data["answerable"] == 3
    assert data["document_hit_at_5"] == pytest.approx(2 / 3, abs=1e-4)
    assert data["evidence_hit_at_5"] == pytest.approx(1 / 3, abs=1e-4)
    assert data["mrr"] == pytest.approx((1 + 1 + 1 / 3) / 3, abs=1e-4)
    assert data["ndcg_at_10"] == pytest.approx(2.5 / 3, abs=1e-4)
    assert data["recall_at_100"] == 1
    assert data["abstained"] == 1
    assert data["wrongly_abstained"] == 1
    assert data["bytes_median"] == 20
    assert [row["id"] for row in data["rows"]] == ["q1", "q2", "q3", "q4", "q5"]


@pytest.mark.requirement("evaluation-gives-named-figures")
def test_the_report_is_one_json_object() -> None:
    assert json.loads(json.dumps(report().as_dict()))["rows"][0]["shown"][0]["section"] == "a.md#x"


def test_the_curve_counts_questions_kept_and_rejected_at_each_threshold() -> None:
    curve = {point.threshold: point for point in abstention_curve([0.4, 0.9, NO_HIT], [0.3, 0.5])}
    assert len(curve) == 21
    assert (curve[0.0].answerable_kept, curve[0.0].unanswerable_rejected) == (2, 0)
    assert (curve[0.5].answerable_kept, curve[0.5].unanswerable_rejected) == (1, 1)
    assert (curve[1.0].answerable_kept, curve[1.0].unanswerable_rejected) == (0, 2)


def test_misses_are_listed_with_what_was_found_instead() -> None:
    text = report().render()
    misses = text[text.index("Misses") :]
    assert "q1" not in misses
    assert "q4" not in misses
    assert "the answer is not among the quotes" in misses
    assert "lost to the threshold; best score 0.400" in misses
    assert "found 0.600  b.md#y" in misses


def test_the_weight_of_evidence_is_compared_with_the_sections_of_the_same_hits() -> None:
    assert "(440 of 4000 bytes over 4 questions)" in report().render()


def test_a_collection_reports_figures_and_its_weakest_questions() -> None:
    row = RankedRow("q1", "what?", 0.25, 1.0, 0.5, True, 0.4, 3.0, (ShownHit("d2", "d2", 0.4),), ("d1",))
    beir = BeirReport("tiny", 2, ranked_summary([row], 0.5), (row,), 0.5)
    data = beir.as_dict()
    assert (data["ndcg_at_10"], data["wrongly_abstained"], data["evidence_hit_at_5"]) == (0.25, 1, None)
    assert "d2" in beir.render()


def test_columns_line_up_and_numbers_are_right_aligned() -> None:
    assert table(("name", "n"), [("a", 5), ("bcdef", 10)]) == "name    n\na       5\nbcdef  10"
