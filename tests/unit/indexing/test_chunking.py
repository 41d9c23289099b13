import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.chunks import stored
from tests.support.in_memory_stores import NOW
from tests.support.markdown import pages
from tests.support.word_tokenizer import WordTokenizer

from citemark.embedding.minilm import MiniLM
from citemark.extraction.delimited import extract_delimited
from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.text_files import extract_plain
from citemark.indexing.chunking import chunk_document, embedded_text
from citemark.model.ids import SourceId
from citemark.model.scope import ResolvedContext
from citemark.model.sources import Source
from citemark.model.text import BlockKind, ChunkDraft, Extracted, LineIndex, Span, lines_of
from citemark.services.responses import cite
from citemark.text.markdown import says_nothing

WORDS = WordTokenizer()
_RULE = re.compile(r"^[|:\s-]+$", re.MULTILINE)


def cut(body: str, most: int = 40, title: str = "Page") -> list[ChunkDraft]:
    return chunk_document(extract_markdown(body, fallback_title=title), WORDS, max_tokens=most)


def texts(body: str, most: int = 40) -> list[str]:
    return [draft.text for draft in cut(body, most)]


def assert_cut_well(extracted: Extracted, drafts: list[ChunkDraft]) -> None:
    """What holds for the chunks of any page; the rows of its tables come again behind the others."""
    body = extracted.body
    lines = LineIndex(body)
    spans = {section.slug: section.span for section in extracted.sections}
    first = extracted.sections[0].span.start if extracted.sections else len(body)
    at = 0
    for number, draft in enumerate(drafts):
        assert draft.ordinal == number
        assert draft.text or len(drafts) == 1
        assert draft.text == body[draft.span.start : draft.span.end]
        assert draft.lines == lines.of(draft.span)
        if draft.is_row:
            assert any(other.span.contains(draft.span) for other in drafts if not other.is_row)
        else:
            assert draft.span.start >= at
            at = draft.span.end
        if draft.section is None:
            assert draft.span.end <= first
        else:
            assert spans[draft.section].contains(draft.span)


def lost(extracted: Extracted, drafts: list[ChunkDraft]) -> str:
    """The visible characters that stand in no chunk and may not be missing."""
    covered = bytearray(len(extracted.body))
    for draft in drafts:
        covered[draft.span.start : draft.span.end] = b"\1" * len(draft.span)
    contexts = {draft.context for draft in drafts}
    missing: list[str] = []
    for block in extracted.blocks:
        rest = "".join(extracted.body[at] for at in range(block.span.start, block.span.end) if not covered[at])
        said = block.kind is BlockKind.HEADING and any(
            section.title in context
            for section in extracted.sections
            if section.span.start == block.span.start
            for context in contexts
        )
        if block.kind is BlockKind.FRONT_MATTER or said or says_nothing(rest):
            continue
        missing.append(_RULE.sub("", rest).strip())
    return "".join(missing)


@pytest.mark.requirement("line-and-character-spans-exact")
@given(pages(), st.sampled_from([24, 40, 230]))
def test_every_visible_character_is_in_one_chunk_of_its_section(body: str, most: int) -> None:
    extracted = extract_markdown(body, fallback_title="Page")
    drafts = chunk_document(extracted, WORDS, max_tokens=most)
    assert_cut_well(extracted, drafts)
    assert lost(extracted, drafts) == ""


@given(pages(), st.sampled_from([24, 40, 230]))
def test_context_and_text_together_stay_within_the_limit(body: str, most: int) -> None:
    for draft in cut(body, most):
        assert WORDS.count(embedded_text(draft.context, draft.text)) <= most


@given(pages())
def test_the_tokenizer_reads_a_page_once(body: str) -> None:
    tokenizer = WordTokenizer()
    chunk_document(extract_markdown(body, fallback_title="f"), tokenizer)
    assert tokenizer.calls == 1


@pytest.mark.requirement("chunks-are-readable-alone")
def test_the_context_is_the_title_and_the_headings() -> None:
    drafts = cut("---\ntitle: Guide\n---\n# Guide\nhello\n## Install `x`\n### Linux\ntext\n")
    assert [(draft.context, draft.section) for draft in drafts] == [
        ("Guide", "guide"),
        ("Guide > Install x > Linux", "guide/install-x/linux"),
    ]


def test_a_long_context_keeps_the_beginning_of_each_part() -> None:
    body = f"# {'long ' * 50}\n## {'deep ' * 50}\ntext\n"
    draft = cut(body, most=230)[0]
    assert WORDS.count(draft.context) <= 60
    assert draft.context.count("long") > 20
    assert draft.context.count("deep") > 20


def test_a_heading_is_never_alone_while_text_follows() -> None:
    found = texts("## Head\n\n" + "word " * 38 + "\n\nshort\n")
    assert found[0].startswith("## Head\n\nword")


def test_a_heading_above_headings_is_in_their_context() -> None:
    drafts = cut("## Parent\n\n### Child\n\ntext\n")
    assert [(draft.text, draft.context) for draft in drafts] == [("### Child\n\ntext", "Page > Parent > Child")]


def test_a_heading_with_nothing_below_is_a_small_chunk() -> None:
    assert texts("# A\n\ntext\n\n## Bare\n\n## Also\n") == ["# A\n\ntext", "## Bare", "## Also"]


def test_sections_are_never_mixed_however_small() -> None:
    assert texts("# A\na\n# B\nb\n") == ["# A\na", "# B\nb"]


@pytest.mark.requirement("code-and-tables-stay-whole")
def test_code_stays_whole_where_it_fits() -> None:
    code = "```\n" + "a b c\n" * 8 + "```"
    found = texts(f"{'word ' * 25}\n\n{code}\n\n{'word ' * 25}\n")
    assert code in found


@pytest.mark.requirement("code-and-tables-stay-whole")
def test_a_table_stays_whole_where_it_fits() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    found = texts(f"{'word ' * 25}\n\n{table}\n\n{'word ' * 25}\n")
    assert any(table in text for text in found)


def test_a_list_stays_together_where_it_fits() -> None:
    items = "\n".join(f"- item {n} of the list" for n in range(5))
    found = texts(f"{'word ' * 25}\n\n{items}\n\n{'word ' * 25}\n")
    assert any(items in text for text in found)


def test_a_cut_table_repeats_its_header_in_the_context() -> None:
    found = cut("| Name | Meaning |\n|---|---|\n" + "".join(f"| n{n} | some words here |\n" for n in range(20)))
    drafts = [draft for draft in found if not draft.is_row]
    assert len(drafts) > 3
    assert all(draft.text.splitlines()[0].startswith("| n") for draft in drafts[1:])
    assert {draft.context for draft in drafts[1:]} == {"Page\n| Name | Meaning |"}


@pytest.mark.requirement("table-rows-are-passages")
@pytest.mark.parametrize("dashes", [3, 300])
def test_no_table_is_cut_after_its_header(dashes: int) -> None:
    rule = "-" * dashes
    rows = "".join(f"| n{number} | some words here |\n" for number in range(20))
    drafts = [draft for draft in cut(f"| Name | Meaning |\n|{rule}|{rule}|\n{rows}", most=60) if not draft.is_row]
    assert len(drafts) > 2
    assert drafts[0].text.splitlines()[2] == "| n0 | some words here |"
    assert "--" not in embedded_text(drafts[0].context, drafts[0].text)


def test_a_rule_too_wide_for_any_chunk_is_left_out() -> None:
    wide = "-" * 3_000
    drafts = cut(f"| Name | Meaning |\n|{wide}|{wide}|\n| one | two |\n", most=100)
    assert [draft.text for draft in drafts] == ["| Name | Meaning |", "| one | two |"]


@pytest.mark.requirement("table-rows-are-passages")
def test_a_row_is_a_chunk_of_its_own_beside_its_table_with_the_header_above_it() -> None:
    table = "| Name | Bar |\n|---|---|\n| inlet | 3 |\n| outlet | 4 |"
    drafts = cut(f"# Page\n\n## Valves\n\n{table}\n\nA word.\n")
    assert [draft.text for draft in drafts if draft.is_row] == ["| inlet | 3 |", "| outlet | 4 |"]
    assert {draft.context for draft in drafts if draft.is_row} == {"Page > Valves\n| Name | Bar |"}
    assert any(table in draft.text for draft in drafts)


@pytest.mark.requirement("table-rows-are-passages")
@pytest.mark.parametrize(("rows", "found"), [(0, 0), (1, 0), (2, 2), (200, 200), (201, 0)])
def test_rows_of_a_table_of_one_row_or_of_more_than_two_hundred_are_not_chunks(rows: int, found: int) -> None:
    drafts = cut("| Name | Bar |\n|---|---|\n" + "".join(f"| valve {n} | {n} |\n" for n in range(rows)))
    assert sum(draft.is_row for draft in drafts) == found


@pytest.mark.requirement("table-rows-are-passages")
def test_a_row_that_fills_a_chunk_alone_is_not_written_twice() -> None:
    long = " ".join(["word"] * 24)
    drafts = cut(f"| Name | Bar |\n|---|---|\n| a | {long} |\n| b | {long} |\n| c | {long} |\n")
    assert len({draft.span for draft in drafts}) == len(drafts)


@pytest.mark.requirement("vectors-made-without-tags")
def test_the_model_reads_text_without_tags_entities_and_rules() -> None:
    text = "<Note>Rings **twice** &amp; stops</Note>, see `<T>`.\n\n| a  | b |\n|----|---|\n| 1<br/>2 | 2 |"
    assert embedded_text("Page", text) == "Page\nRings **twice** & stops, see `<T>`.\n\n| a | b |\n| 1 2 | 2 |"
    assert embedded_text("", "a < b & c -- d | e") == "a < b & c -- d | e"


def test_long_code_is_cut_between_lines() -> None:
    body = "```\n" + "one two three\n" * 40 + "```\n"
    assert all(line in {"one two three", "```"} for text in texts(body) for line in text.splitlines())


@pytest.mark.parametrize("above", [4, 6])
def test_long_code_is_cut_at_a_blank_line_rather_than_evenly(above: int) -> None:
    lines = [f"line number {number} does some work" for number in range(10)]
    body = "\n".join(["```", *lines[:above], "", *lines[above:], "```\n"])
    assert [text.count("line number") for text in texts(body)] == [above, 10 - above]


@pytest.mark.parametrize("number", [7, 13, 20, 22])
def test_a_long_paragraph_is_cut_between_sentences_and_evenly(number: int) -> None:
    body = "These are six words of one. " * number
    found = texts(body)
    assert all(text.endswith("one.") for text in found)
    assert max(map(len, found)) - min(map(len, found)) <= len("These are six words of one. ")


def test_abbreviations_and_versions_do_not_end_a_sentence() -> None:
    body = "See e.g. Version 2.0 of it, i.e. The new one, as Mr. Smith says vs. Others do now here. " * 6
    assert all(text.startswith("See") and text.endswith("here.") for text in texts(body, most=60))


def test_a_sentence_without_end_is_cut_between_words() -> None:
    found = texts("word " * 200)
    assert len(found) > 5
    assert {word for text in found for word in text.split()} == {"word"}


@pytest.mark.parametrize("length", [5_000, 500_000])
def test_an_unbroken_run_is_cut_by_characters(length: int) -> None:
    drafts = cut("A" * length, most=230)
    assert "".join(draft.text for draft in drafts) == "A" * length
    assert max(len(draft.text) for draft in drafts) <= 4_000


def test_stretches_of_blanks_do_not_lengthen_a_chunk() -> None:
    body = "```\na" + "\n" * 50_000 + "b\n```\n"
    assert max(len(draft.text) for draft in cut(body, most=230)) < 5_000


def test_the_description_of_a_page_and_its_other_properties_are_chunks_of_their_own() -> None:
    body = '---\ntitle: T\ndescription: "What this is"\nweight: 10\n---\n\nText\n'
    drafts = cut(body)
    assert [(draft.text, draft.context, draft.lines.start) for draft in drafts] == [
        ("What this is", "T", 3),
        ("weight: 10", "", 4),
        ("Text", "T", 7),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "---\ntitle: Ada\nborn: 1815-12-10\naliases:\n  - The Countess\n---\n\nText\n",
        '+++\ntitle = "Ada"\nborn = 1815-12-10\naliases = [\n  "The Countess",\n]\n+++\n\nText\n',
        '{\n  "title": "Ada",\n  "born": "1815-12-10",\n  "aliases": ["The Countess"]\n}\n\nText\n',
    ],
    ids=["YAML", "TOML", "JSON"],
)
@pytest.mark.requirement("properties-are-a-passage")
def test_properties_of_every_form_are_one_passage_with_their_lines(body: str) -> None:
    first, *rest = cut(body)
    assert first.is_properties
    assert first.context == "Ada"
    assert "1815-12-10" in first.text
    assert "The Countess" in first.text
    assert body.splitlines()[first.lines.start - 1 : first.lines.end] == first.text.splitlines() or "{" in body
    assert [draft.text for draft in rest] == ["Text"]


def test_properties_that_only_lay_out_a_page_do_not_bear_its_name() -> None:
    drafts = cut("---\ntitle: T\nsidebar_position: 3\nslug: /t\n---\n\nText\n")
    assert [(draft.text, draft.context) for draft in drafts] == [
        ("sidebar_position: 3\nslug: /t", ""),
        ("Text", "T"),
    ]


def test_properties_that_are_longer_than_a_chunk_are_cut_between_them() -> None:
    many = "".join(f"key_{number}: some words about the number {number}\n" for number in range(200))
    drafts = [draft for draft in cut(f"---\n{many}---\n\nText\n", most=60) if draft.is_properties]
    assert len(drafts) > 5
    assert all(draft.text.startswith("key_") for draft in drafts)


def test_a_folded_description_is_found_too() -> None:
    assert texts("---\ntitle: T\ndescription: >-\n  Two\n  lines\nx: y\n---\n")[0].split() == ["Two", "lines"]


def test_a_description_that_repeats_the_title_is_left_out() -> None:
    assert texts("---\ntitle: Tasks\ndescription: Tasks\n---\n\nText\n") == ["Text"]


def test_a_page_of_nothing_but_a_title_is_still_found() -> None:
    assert texts("---\ntitle: Lonely\n---\n") == ["Lonely"]
    assert texts("# Lonely\n") == ["# Lonely"]


@pytest.mark.requirement("empty-notes-are-found")
def test_an_empty_page_is_one_chunk_that_bears_its_name() -> None:
    for extracted in (extract_markdown("", fallback_title="f"), extract_plain(" \r\n", fallback_title="f")):
        (draft,) = chunk_document(extracted, WORDS)
        assert (draft.text, draft.context, draft.lines.start) == ("", "f", 1)


def test_bare_tags_make_no_chunk() -> None:
    assert texts('<div id="top" />\n\n# A\n\n<div class="x">\n\n## B\n\ntext\n\n</div>\n') == ["## B\n\ntext\n\n</div>"]


def test_the_visible_text_of_a_component_is_in_a_chunk() -> None:
    assert any('title="Shown"' in text for text in texts('# A\n\n<Card title="Shown">\n</Card>\n'))


@pytest.mark.parametrize("piece", ["a\n\n", "- a\n", "a. ", "# a\n\nb\n\n", "| a |\n|---|\n", "😀"])
@pytest.mark.timeout(20)
def test_hostile_repetition_is_cut_in_linear_time(piece: str) -> None:
    extracted = extract_markdown(piece * (50_000 // len(piece)), fallback_title="f")
    drafts = chunk_document(extracted, WORDS)
    assert_cut_well(extracted, drafts)
    assert max(WORDS.count(embedded_text(draft.context, draft.text)) for draft in drafts) <= 230


@pytest.mark.parametrize(
    "body",
    [
        f"---\ntitle: T\ndescription:{' ' * 30_000}\n---\n\nText\n",
        f"---\ntitle: T\ndescription: a\n{' ' * 30_000}\n---\n\nText\n",
        "```\n" + "a b c d\n" * 100 + " " * 60_000 + "\nend\n```\n",
    ],
    ids=["empty description", "blank line in a description", "blank line in code"],
)
@pytest.mark.timeout(10)
def test_a_long_run_of_blanks_is_cut_in_linear_time(body: str) -> None:
    assert chunk_document(extract_markdown(body, fallback_title="f"), WORDS)


def test_real_pages_fit_the_real_model(shared_data: Path) -> None:
    tokenizer = MiniLM().tokenizer
    names = ["specification/2025-11-25/basic/index.mdx", "registry/faq.mdx", "docs/sdk.mdx", "seps/1686-tasks.mdx"]
    for name in names:
        path = shared_data / "docs-mcp" / "docs" / name
        if not path.exists():
            continue
        extracted = extract_markdown(path.read_text(), fallback_title=path.stem)
        drafts = chunk_document(extracted, tokenizer)
        assert_cut_well(extracted, drafts)
        sizes = [
            len(pieces) for pieces in tokenizer.offsets([embedded_text(draft.context, draft.text) for draft in drafts])
        ]
        assert max(sizes) <= 230


@pytest.mark.requirement("text-kinds-read-by-glob")
def test_every_chunk_of_a_csv_file_shows_its_header() -> None:
    rows = "".join(f"2024-{n:04},harbour {n},{n * 3}\n" for n in range(60))
    extracted = extract_delimited(f"date,place,boats\n{rows}", fallback_title="Traffic")
    drafts = chunk_document(extracted, WORDS, max_tokens=60)
    assert len(drafts) > 3
    assert drafts[0].text.startswith("date,place,boats\n2024-0000,harbour 0,0")
    assert {draft.context for draft in drafts[1:]} == {"Traffic\ndate,place,boats"}
    assert drafts[-1].lines.end == 61
    assert_cut_well(extracted, drafts)


@pytest.mark.requirement("text-kinds-read-by-glob")
def test_every_chunk_shows_the_beginning_of_a_wide_header() -> None:
    columns = ",".join(f"column {n}" for n in range(30))
    rows = "".join(",".join(f"{n}" for n in range(30)) + "\n" for _ in range(9))
    extracted = extract_delimited(f"{columns}\n{rows}", fallback_title="Wide")
    drafts = chunk_document(extracted, WORDS, max_tokens=100)
    assert len(drafts) > 3
    assert_cut_well(extracted, drafts)
    heads = [draft.context for draft in drafts if draft.text[0].isdigit()]
    assert heads
    assert all(head.startswith("Wide\ncolumn 0,column 1") for head in heads)
    assert all(len(WORDS.offsets([f"{draft.context}\n{draft.text}"])[0]) <= 100 for draft in drafts)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\r\r\n"])
def test_lines_of_chunks_are_those_that_quotes_of_them_cite(end: str) -> None:
    rows = [f"| valve {number} | opens at {number} bar |" for number in range(12)]
    body = end.join(["# Valves", "", "One sentence.", "Another one.", "", "| valve | opens |", "|---|---|", *rows, ""])
    drafts = cut(body, 20)
    assert len(drafts) > 3
    for draft in drafts:
        chunk = replace(stored(1, draft.text), span=draft.span, lines=draft.lines)
        source = Source(SourceId(1), "local", "docs", "memory")
        quoted = cite(chunk, source, ResolvedContext(NOW), Span(0, len(draft.text)))
        assert draft.lines == quoted.anchor.lines == lines_of(body, draft.span)
