"""What a document is called, where it lies, what is put on it, and what its sections define and use."""

from dataclasses import replace

import pytest

from citemark.extraction.markdown.document import extract_markdown
from citemark.indexing.entity_edges import entity_edges, is_code_name
from citemark.model.documents import Fetched
from citemark.model.ids import NativeId, Version
from citemark.sources.file_system import PAGE


def fetched(body: str, native_id: str = "guides/a.md", doc_type: str = PAGE, **metadata: str) -> Fetched:
    extracted = extract_markdown(body, fallback_title=native_id)
    return Fetched(doc_type, NativeId(native_id), Version("1"), None, None, extracted, metadata=metadata)


def edges(given: Fetched, kind: str) -> list[tuple[str | None, str, str]]:
    """Of each edge of a kind: the section, what it leads to, and the words that state it."""
    return [
        (each.from_section, str(each.to_entity or each.to_native_id), each.span.of(given.extracted.body))
        for each in entity_edges(given, PAGE)
        if each.type == kind
    ]


@pytest.mark.requirement("every-edge-kind-in-real-files")
def test_a_document_is_named_by_its_title_and_states_it_in_its_first_line() -> None:
    assert edges(fetched("# The  Pump:\ntext\n"), "named") == [(None, ":term:the pump", "# The  Pump:")]


@pytest.mark.requirement("every-edge-kind-in-real-files")
def test_headings_define_terms_at_their_place() -> None:
    body = "# The pump\n\n## Starting it\nx\n\n## The pump\ny\n"
    assert edges(fetched(body), "defines") == [("the-pump/starting-it", ":term:starting it", "## Starting it")]


@pytest.mark.parametrize("heading", ["Why does it leak?", "It leaks.", "a b c d e f g h i j k", "x" * 121])
def test_a_heading_that_is_a_sentence_defines_nothing(heading: str) -> None:
    assert edges(fetched(f"# The pump\n\n## {heading}\nx\n"), "defines") == []


def test_a_heading_in_code_defines_the_name_in_code_too() -> None:
    body = "# Tools\n\n## `tools/call`\nx\n"
    assert [to for _, to, _ in edges(fetched(body), "defines")] == [":term:tools/call", ":code:tools/call"]


@pytest.mark.requirement("every-edge-kind-in-real-files")
def test_names_in_code_are_used_once_a_section_and_not_from_blocks_of_code() -> None:
    body = "`max_size` first.\n\n# One\n`max_size`, `max_size`, `x = 1`\n\n```\n`min_size`\n```\n\n## Two\n`max_size`\n"
    assert edges(fetched(body), "uses_code") == [
        (None, ":code:max_size", "max_size"),
        ("one", ":code:max_size", "max_size"),
        ("one/two", ":code:max_size", "max_size"),
    ]


@pytest.mark.parametrize("code", ["max_size", "tools/list", "run()", "--limit", "PumpControl", "v1.2.3", "@scope/x"])
def test_names_and_options_in_code_are_recognized(code: str) -> None:
    assert is_code_name(code)


@pytest.mark.parametrize("code", ["true", "ls", "x = 1", "a b", "{}", "größe_x", "12"])
def test_expressions_and_plain_words_are_not_names_in_code(code: str) -> None:
    assert not is_code_name(code)


@pytest.mark.requirement("every-edge-kind-in-real-files")
def test_the_folder_of_a_document_comes_from_its_path_its_metadata_or_its_model() -> None:
    assert edges(fetched("# A\n"), "in_folder") == [(None, "guides", "# A")]
    assert edges(fetched("# A\n", "a.md"), "in_folder") == []
    assert edges(fetched("# A\n", "17", "file", Path="/Team/Plans/a.md"), "in_folder")[0][1] == "Team/Plans"
    assert edges(fetched("# A\n", "id-1", "element", folder="Business/Actors"), "in_folder")[0][1] == "Business/Actors"


@pytest.mark.requirement("every-edge-kind-in-real-files")
def test_labels_tags_and_categories_are_put_on_a_document_once_in_any_case() -> None:
    page = fetched("---\ntags: [Pumps]\ncategory: ' Work '\n---\n# A\n")
    given = replace(page, labels=("pumps", "Urgent"))
    assert [to for _, to, _ in edges(given, "has_label")] == [":label:pumps", ":label:urgent", ":label:work"]


def test_ten_thousand_headings_are_ten_thousand_terms() -> None:
    body = "".join(f"# Part number {n}\n" for n in range(10_000))
    assert len(edges(fetched(body), "defines")) >= 9_999


@pytest.mark.requirement("aliases-are-names")
def test_a_document_is_named_by_its_aliases_too_as_it_writes_them() -> None:
    page = fetched("---\ntitle: Pump\naliases:\n  - The Old Mare\n  - '[[Mare|x]]'\n  - pump\n---\ntext\n")
    assert edges(page, "named") == [
        (None, ":term:pump", "---"),
        (None, ":term:the old mare", "The Old Mare"),
        (None, ":term:mare", "Mare"),
    ]
    assert [edge.metadata for edge in entity_edges(page, "page") if edge.type == "named"] == [
        {},
        {"form": "The Old Mare"},
        {"form": "Mare"},
    ]
