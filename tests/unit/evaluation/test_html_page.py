"""The page of an evaluation: well-formed, self-contained, nothing of a document taken for markup."""

import re

import pytest
from lxml import etree
from tests.unit.evaluation.test_comparison import row, run

from citemark.evaluation.comparison import compare
from citemark.evaluation.html_page import html_page

CURVE = [{"threshold": 0.0, "answerable_kept": 2, "unanswerable_rejected": 0},
         {"threshold": 1.0, "answerable_kept": 0, "unanswerable_rejected": 1}]  # fmt: skip
ROWS = (
    row("a", rank=1, evidence_bytes=900, quotes=["<script>alert(1)</script>"]),
    row("b", evidence=False, kind="paraphrase", rank=12, evidence_bytes=4200,
        quotes=["<script>alert(2)</script> & more"], expected=["z.md"],
        shown=[{"page": "x.md", "section": "x.md#y", "score": 0.9}]),
    row("c", evidence=False, answerable=False, kind="unanswerable", abstained=True, evidence_bytes=20),
)  # fmt: skip
RUN = run(*ROWS, curve=CURVE)


def charts(page: str) -> list[str]:
    return re.findall(r"<figcaption>(.*?)</figcaption>", page)


@pytest.mark.requirement("evaluation-report-has-plots")
def test_the_page_shows_recall_kinds_abstention_and_bytes() -> None:
    page = html_page(RUN, "mine.yaml")
    assert charts(page) == ["Recall against rank", "Reached, by kind of question", "Abstention", "Bytes of one answer"]
    for svg in re.findall(r"<svg.*?</svg>", page):
        etree.fromstring(svg)
    assert "Missed: 1 of 3" in page
    assert "The page is shown; the answer is not among the quotes." in page
    told = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in page.splitlines() if line.startswith("<tr><td><code>")]
    assert [cells[4:6] for cells in told] == [["yes", "yes"], ["yes", "no"], ["nothing, rightly", "0.800"]]


def test_the_page_needs_no_network_and_runs_no_script() -> None:
    page = html_page(RUN, "mine.yaml")
    assert not re.search(r"""(?:src|href)\s*=|<script|@import|url\(""", page)


def test_text_of_documents_is_escaped_in_the_page() -> None:
    page = html_page(RUN, "<b>mine</b>")
    assert "&lt;script&gt;alert(2)&lt;/script&gt; &amp; more" in page
    assert "<b>mine" not in page


def test_an_earlier_run_is_shown_beside_this_one() -> None:
    before = run(row("a", evidence=False, rank=7), *ROWS[1:], curve=CURVE)
    page = html_page(RUN, "mine.yaml", compare(before, RUN))
    assert "1 gained, 0 lost of 2 questions in both" in page
    assert "earlier run" in page


def test_a_collection_without_evidence_has_a_page_too() -> None:
    ranked = run(row("q", evidence=None, mrr=0.25, abstained=False), evidence_hit_at_5=None, bytes_median=None)
    assert ranked.rows[0].first_rank == 4
    assert charts(html_page(ranked, "scifact")) == ["Recall against rank", "Reached, by kind of question"]


def test_a_run_without_questions_has_a_page() -> None:
    assert "0 questions" in html_page(run(), "empty")
