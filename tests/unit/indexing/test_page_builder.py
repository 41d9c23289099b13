"""What makes another state of a document."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.embedding.minilm import MiniLM
from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.text_files import extract_plain
from citemark.indexing.page_builder import build_page, same_to_a_model
from citemark.model.documents import Fetched, StatedRelationship
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.text import Extracted, Span

PLAIN = Fetched("element", NativeId("e1"), Version("1"), None, None, Extracted("Pump", "Pump is a Device.", ()))
LINK = StatedRelationship("links_to", None, NativeId("other.md"), None, Span(0, 4))
STATED = StatedRelationship("Serving", None, NativeId("e2"), None, Span(0, 4), "r1", {"name": "feeds"})


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def test_the_names_of_a_path_are_words_of_the_page_wherever_the_source_says_it(model: MiniLM) -> None:
    def lexical(fetched: Fetched) -> str:
        return build_page(fetched, SourceId(1), model.tokenizer, language="english").chunks[0].lexical

    page = replace(PLAIN, extracted=extract_plain("A crane.", fallback_title="Letter"))
    paged = replace(page, native_id=NativeId("Projects/heron plan.md"))
    numbered = replace(page, native_id=NativeId("4711"), metadata={"Path": "Projects/heron plan.md"})
    assert "heron plan" in lexical(paged)
    assert lexical(numbered) == lexical(paged)
    assert lexical(replace(numbered, metadata={"Path": "/"}))


@pytest.mark.requirement("equal-text-embedded-once")
def test_texts_that_differ_in_indentation_and_blank_lines_share_a_vector_and_have_the_same_tokens(
    model: MiniLM,
) -> None:
    plain = "Pumps > Hall\n## Hall\n\nThe pump  of hall 3.\nIt runs."
    assert same_to_a_model("Pumps\n## Hall\n\nThe pump.") == "Pumps\n## Hall\n\nThe pump.", "most texts as they are"
    for other in (
        plain.replace("\n\n", "\n \n\n\n"),
        plain.replace("\nThe", "\n    The"),
        plain.replace(" of", "\t of"),
        plain.replace("3.", "3.  "),
    ):
        assert same_to_a_model(other) == same_to_a_model(plain)
        assert model.tokenizer.batch([other], 64) == model.tokenizer.batch([plain], 64)
    assert same_to_a_model(plain.replace("runs", "run s")) != same_to_a_model(plain)


@given(text=st.text(alphabet="ab \t\n", max_size=40))
def test_the_parts_of_a_text_that_do_not_count_are_left_out_wherever_they_are(text: str) -> None:
    single = re.sub(r" ?\n ?", "\n", re.sub(r"[ \t]+", " ", text))
    assert same_to_a_model(text) == re.sub(r"\n{3,}", "\n\n", single)


def test_metadata_tags_links_and_stated_relationships_make_another_state_of_equal_text(model: MiniLM) -> None:
    def state(fetched: Fetched) -> bytes:
        return build_page(fetched, SourceId(1), model.tokenizer, language="english").content_hash

    states = [
        state(PLAIN),
        state(replace(PLAIN, metadata={"layer": "technology"})),
        state(replace(PLAIN, metadata={"layer": "physical"})),
        state(replace(PLAIN, relationships=(STATED,))),
        state(replace(PLAIN, relationships=(replace(STATED, metadata={"name": "cools"}),))),
        state(replace(PLAIN, relationships=(replace(STATED, to_native_id=NativeId("e3")),))),
        state(replace(PLAIN, relationships=(LINK,))),
        state(replace(PLAIN, relationships=(replace(LINK, to_native_id=NativeId("another.md")),))),
        state(replace(PLAIN, relationships=(replace(LINK, to_native_id=None, to_url="https://example.org"),))),
        state(replace(PLAIN, extracted=replace(PLAIN.extracted, tags=("pumps",)))),
        state(replace(PLAIN, extracted=replace(PLAIN.extracted, tags=("pumps", "valves")))),
    ]
    assert len(set(states)) == len(states)
    assert state(replace(PLAIN, version=Version("2"))) == states[0]


def test_empty_pages_and_equal_properties_of_several_pages_are_told_apart(model: MiniLM) -> None:
    def hashes(name: str, body: str) -> list[bytes]:
        page = replace(PLAIN, native_id=NativeId(f"{name}.md"), extracted=extract_markdown(body, fallback_title=name))
        return [chunk.text_hash for chunk in build_page(page, SourceId(1), model.tokenizer, language="english").chunks]

    assert hashes("one", "") != hashes("two", "")
    assert hashes("one", "---\nstatus: done\n---\n") != hashes("two", "---\nstatus: done\n---\n")
    assert hashes("one", "A crane.") == hashes("two", "A crane.")
