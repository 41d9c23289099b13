"""Default quotes of whole documentation trees end where a person would end them, or say that they do not."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.support.word_tokenizer import WordTokenizer

from citemark.evidence.budget import EvidenceLimits, QuoteLimits
from citemark.evidence.cutting import Filled
from citemark.evidence.filling import PassageText, fill_by_words
from citemark.evidence.quotes import choose_quotes
from citemark.evidence.scoring import rank_all
from citemark.extraction.markdown.document import extract_markdown
from citemark.indexing.chunking import chunk_document
from citemark.model.text import ChunkDraft

OWN_PAGES = sorted((Path(__file__).parents[3] / "docs").rglob("*.md"))
_WORDS = WordTokenizer()
_STRUCTURE = re.compile(r"\s*([|#<`~>]|[-*+] |\d+[.)] |---)")
_ENDED = re.compile(r"[.!?:;…|>][\"'`)*_\]”]*$")


def ends_inside_a_sentence(body: str, end: int) -> bool:
    """Whether prose goes on behind a place of a page, neither a sentence nor a paragraph, item or row ends there."""
    last, rest = body[:end].rpartition("\n")[2], body[end:].lstrip(" \t\"'")
    in_code = len(re.findall(r"^\s*(?:```|~~~)", body[:end], re.MULTILINE)) % 2 == 1
    if in_code or "<" in last or _ENDED.search(last) or not rest.strip():
        return False
    if _STRUCTURE.match(last):
        return not rest.startswith("\n")
    if rest.startswith("\n"):
        following = rest[1:].partition("\n")[0]
        return bool(following.strip()) and not _STRUCTURE.match(following)
    return True


@pytest.fixture(scope="module")
def drafts(shared_data: Path) -> Sequence[tuple[str, ChunkDraft]]:
    """The chunks of our own pages and of some of others, each with the body of its page."""
    foreign = sorted((shared_data / "docs-mcp").rglob("*.md*"))[::12]
    pages = [extract_markdown(page.read_text(encoding="utf-8"), fallback_title="") for page in (*OWN_PAGES, *foreign)]
    return [(page.body, draft) for page in pages for draft in chunk_document(page, _WORDS) if not draft.is_properties]


def quotes_of(body: str, draft: ChunkDraft, budget: int) -> Iterator[tuple[str, int, Filled]]:
    """A passage quoted for its own heading: the body, the place where the quote ends, the quote."""
    question = draft.context.partition("\n")[0].rpartition(" > ")[2]
    for quote in fill_by_words([question], [PassageText(draft.text)], EvidenceLimits(budget)):
        yield body, draft.span.start + quote.span.end, quote


@pytest.mark.requirement("quotes-end-with-a-sentence")
@pytest.mark.parametrize("budget", [2_000, 500])
def test_no_quote_ends_inside_a_sentence_without_a_mark_and_few_with_one(
    budget: int, drafts: Sequence[tuple[str, ChunkDraft]]
) -> None:
    found = [quote for body, draft in drafts for quote in quotes_of(body, draft, budget)]
    unmarked = [body[:end][-60:] for body, end, quote in found if not quote.cut and ends_inside_a_sentence(body, end)]
    assert unmarked == []
    if budget == EvidenceLimits().max_bytes:
        assert sum(quote.cut for _, _, quote in found) <= 0.05 * len(found)


@pytest.mark.requirement("text-shown-without-markup", "quotes-end-with-a-sentence")
def test_tags_count_for_nothing_in_the_size_of_a_quote() -> None:
    tagged = "".join(
        f'<span class="type type-of-the-signature"><a href="#port-{n}">port {n}</a></span> ' for n in range(9)
    )
    text = f"The valve has {tagged}and no other."
    (quote,) = choose_quotes(rank_all("which ports has the valve", [text]), [text], QuoteLimits())
    assert (quote.text.split(), quote.cut) == (
        f"The valve has {' '.join(f'port {n}' for n in range(9))} and no other.".split(),
        None,
    )
    assert quote.span.of(text) == text


@pytest.mark.requirement("quotes-end-with-a-sentence")
def test_long_code_is_quoted_in_whole_lines() -> None:
    stop = "stop the boiler\n"
    code = "```sh\n" + "".join(f"pump open --line {n}\n{stop * (n == 21)}" for n in range(40)) + "```"
    (first, *_) = choose_quotes(rank_all("stop the boiler", [code]), [code], QuoteLimits())
    lines = first.text.splitlines()
    assert "stop the boiler" in lines
    assert first.cut is None
    assert all(line in code.splitlines() for line in lines)
