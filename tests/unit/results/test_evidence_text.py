"""The text of a result reads well alone and says nothing twice."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from citemark.evidence.budget import Usage
from citemark.model.citation import Anchor, Citation
from citemark.model.ids import PassageId, SessionId
from citemark.model.scope import ResolvedContext
from citemark.model.text import Lines, Span
from citemark.results.found_quotes import render_evidence
from citemark.services.responses import Evidence, Quote, ResponseMeta
from citemark.tools.kb.evidence_tools import evidence_reply

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
META = ResponseMeta(SessionId("s"), ResolvedContext(as_of=NOW), False, "none", None, 0, Usage(0, 0))


def quote(words: str, passage: str, lines: Lines | None, doc_type: str = "section", title: str = "") -> Quote:
    span = Span(10, 20)
    citation = Citation(
        "handbook", doc_type, f"{passage}.md", "7", None, NOW, Anchor(None, lines, span), span, title, None
    )
    return Quote(words, PassageId(passage), f"{passage}.md", "", 0.5, citation)


def text(*quotes: Quote) -> str:
    return render_evidence(quotes, META, cut=False)


@pytest.mark.requirement("citations-cost-less")
def test_quotes_of_one_passage_share_its_citation_and_keep_their_numbers() -> None:
    shown = text(
        quote("Prime it.", "pump", Lines(4, 6)),
        quote("Oil it.", "gear", Lines(1, 1)),
        quote("Rinse it.", "pump", Lines(9, 9)),
    )
    assert shown.split("\n\n")[:2] == [
        "[1] > Prime it.\n[3] > Rinse it.\n(handbook: pump.md, lines 4-6, 9; pump)",
        "[2] > Oil it.\n(handbook: gear.md, line 1; gear)",
    ]


@pytest.mark.requirement("later-quotes-point-to-the-first")
def test_a_later_passage_of_a_document_points_to_the_first() -> None:
    one, two = quote("Prime it.", "pump.md#prime", Lines(4, 6)), quote("Oil it.", "pump.md#care/oil", Lines(9, 9))
    shown = text(one, two, quote("Stop.", "gear", Lines(1, 1)))
    assert "(as [1] #oil.md, line 9; pump.md#care/oil)" in shown
    assert shown.count("handbook") == 2


@pytest.mark.requirement("citations-cost-less")
def test_a_citation_repeats_neither_the_heading_that_a_quote_begins_with_nor_those_above_it() -> None:
    def beneath(words: str, document_id: str) -> Quote:
        plain = quote(words, document_id, Lines(9, 11))
        return replace(plain, citation=replace(plain.citation, document_id=document_id))

    shown = text(
        beneath("## Oil & grease\n\nOil it.", "pump.md#care/oil--grease"),
        beneath("Prime it.", "gear.md#care/prime"),
        beneath("Call us.", "hotline.md"),
        beneath("# Care\n\nGently.", "gear.md#care"),
    )
    assert "(handbook: pump.md, lines 9-11; pump.md#care/oil--grease)" in shown
    assert "(handbook: gear.md#prime, lines 9-11; gear.md#care/prime)" in shown
    assert "(handbook: hotline.md, lines 9-11; hotline.md)" in shown
    assert "(as [2], lines 9-11; gear.md#care)" in shown


def test_where_lines_mean_nothing_characters_are_named() -> None:
    assert "(handbook: scan.md, characters 10-20; scan)" in text(quote("Oil it.", "scan", None))


def test_a_document_with_a_meaningless_id_is_named_by_its_title() -> None:
    shown = text(quote("It serves Portal.", "1793", Lines(2, 2), "element", "Call\ncenter"))
    assert '(handbook: 1793.md "Call center", line 2; 1793)' in shown
    assert '"' not in text(quote("Oil it.", "gear", Lines(1, 1), title="Gears")).split("\n")[1]


@pytest.mark.requirement("confidence-is-the-result-s")
def test_the_confidence_of_a_quote_is_that_of_the_result_and_its_share_of_words_has_a_name() -> None:
    shown = quote("Oil it.", "gear", Lines(1, 1))
    out = evidence_reply(Evidence((shown,), META, confidence=0.834)).out.model_dump(exclude_unset=True)
    (row,) = out["quotes"]
    assert (out["confidence"], row["confidence"], row["word_share"]) == (0.83, 0.83, 0.5)


@pytest.mark.requirement("unsure-in-words-first")
def test_what_is_not_sure_is_said_above_the_quotes_and_in_the_first_notes() -> None:
    doubt = "It is not sure that this answers: unless this answers, ask again."
    meta = replace(META, doubt=doubt, notes=("another note",))
    reply = evidence_reply(Evidence((quote("Oil it.", "gear", Lines(1, 1)),), meta, confidence=0.6))
    assert reply.text.splitlines()[:2] == [doubt, "[1] > Oil it."]
    assert reply.out.model_dump()["notes"] == [doubt, "another note"]


@pytest.mark.requirement("both-sides", "whole-lists")
def test_the_text_says_which_side_a_quote_is_and_how_many_items_are_left() -> None:
    old = replace(quote("- Prime it.", "old", Lines(1, 1)), side="1.2", more=12)
    new = replace(quote("Oil it.", "new", Lines(1, 1)), side="2.0")
    shown = text(old, new)
    assert "[1, of 1.2] > - Prime it.\n(and 12 more)\n(handbook:" in shown
    assert "[2, of 2.0] > Oil it." in shown
