"""The line grammar, and that pages and passages are read by it alike."""

import pytest

from citemark.evidence.spans import SpanKind, layout
from citemark.extraction.markdown.blocks import read_blocks
from citemark.model.text import BlockKind, LineIndex
from citemark.text.markdown import fence_at, front_matter_of, is_module_statement, is_rule, is_table_header

ALIKE = {
    BlockKind.HEADING: SpanKind.HEADING,
    BlockKind.LIST_ITEM: SpanKind.ITEM,
    BlockKind.CODE: SpanKind.CODE,
    BlockKind.PARAGRAPH: SpanKind.SENTENCE,
    BlockKind.MARKUP: SpanKind.MARKUP,
}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# Heading", BlockKind.HEADING),
        ("Heading\n===", BlockKind.HEADING),
        ("Heading\n-", BlockKind.HEADING),
        ("#no heading", BlockKind.PARAGRAPH),
        ("- item", BlockKind.LIST_ITEM),
        ("123456789. item", BlockKind.LIST_ITEM),
        ("1234567890. no item", BlockKind.PARAGRAPH),
        ("```python\ncode\n```", BlockKind.CODE),
        ("~~~~ `info`\ncode\n~~~\nmore\n~~~~", BlockKind.CODE),
        ("export class Page {}", BlockKind.MARKUP),
        ('import { Card } from "./card"', BlockKind.MARKUP),
        ("important words", BlockKind.PARAGRAPH),
        ("<Card>", BlockKind.MARKUP),
    ],
)
def test_a_page_and_a_passage_are_divided_alike(text: str, kind: BlockKind) -> None:
    (block,) = read_blocks(text, LineIndex(text), 0)
    (span,) = layout(text)
    assert block.kind is kind
    assert span.kind is ALIKE[kind]


def test_a_fence_is_closed_by_as_many_of_its_marks_or_more() -> None:
    fence = fence_at("~~~~ sh")
    assert fence is not None
    assert fence.info == "sh"
    assert [fence.is_closed_by(line) for line in ("~~~~", "~~~~~~", "~~~", "````", "~~~~ x")] == [True, True] + [
        False
    ] * 3
    assert fence_at("``` a `word`") is None


def test_a_table_has_a_delimiter_row_of_as_many_columns() -> None:
    assert is_table_header("| a | b |", "|---|:-:|")
    assert is_table_header("a | b", "--- | ---")
    assert is_table_header(r"| a \| b |", "|---|")
    assert not is_table_header("| a | b |", "|---|")
    assert not is_table_header("a, b", "---")


def test_a_thematic_break_has_three_equal_marks() -> None:
    assert is_rule("- - -")
    assert not is_rule("- * _")
    assert not is_rule("--")
    assert not is_rule("-" * 2_000)


def test_a_module_statement_is_told_from_a_sentence() -> None:
    assert is_module_statement("export default Page")
    assert not is_module_statement("exports rose by a tenth")


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_front_matter_ends_at_the_second_line_of_dashes(line_break: str) -> None:
    body = line_break.join(["---", "title: x", "---", "text", "---"])
    place = front_matter_of(body)
    assert place is not None
    assert body[place.start : place.stop].strip() == "title: x"
    assert body[place.end :].strip().startswith("text")
    assert front_matter_of(f"text{line_break}{body}") is None
