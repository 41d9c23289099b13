"""Files that are text in a form of their own: tables, notebooks, code and data."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.markdown import assert_sound

from citemark.extraction.delimited import extract_delimited
from citemark.extraction.dispatch import READ_SUFFIXES, read_file
from citemark.extraction.notebook import extract_notebook
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind
from citemark.model.unread_parts import in_words


@pytest.mark.requirement("text-kinds-read-by-glob")
@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("name,price\ntea,3\n", "name,price"),
        ("Name;Preis\r\nTee;3,50\r\n", "Name;Preis"),
        (",name,price\n0,tea,3\n", ",name,price"),
        ('"a, quoted",b\n1,2\n', '"a, quoted",b'),
        ("a\tb\n1\t2\n", "a\tb"),
        ("1,2\n3,4\n", "1,2"),
        ("one column\nof words\n", ""),
    ],
)
def test_a_table_stays_as_it_is_and_knows_its_header(body: str, header: str) -> None:
    extracted = extract_delimited(body, fallback_title="prices")
    (table,) = extracted.blocks
    assert (extracted.body, extracted.title) == (body, "prices")
    assert (table.kind, table.head, table.span.of(body)) == (BlockKind.TABLE, header, body.rstrip())


def test_the_separator_line_for_excel_is_not_a_header() -> None:
    extracted = extract_delimited("sep=;\nName;Preis\nTee;3\n", fallback_title="prices")
    assert [(block.kind, block.head) for block in extracted.blocks] == [
        (BlockKind.PARAGRAPH, ""),
        (BlockKind.TABLE, "Name;Preis"),
    ]


def test_a_table_of_a_database_is_cut_and_says_so() -> None:
    extracted = extract_delimited("a,b\n" + "x,y\n" * 30_000, fallback_title="t")
    assert extracted.body.count("x,y") == 20_000
    assert extracted.blocks[-1].span.of(extracted.body) == "[The table goes on: only its first 20,000 rows are read.]"
    assert extracted.metadata["truncated"] == "The table goes on: only its first 20,000 rows are read."


@given(st.text(st.sampled_from('ab1,;\t"| \r\n='), max_size=60))
def test_the_whole_content_of_a_table_file_is_in_blocks(body: str) -> None:
    assert_sound(extract_delimited(body, fallback_title="f"))


def notebook(*cells: Any, **metadata: Any) -> bytes:
    return json.dumps({"nbformat": 4, "metadata": metadata, "cells": list(cells)}).encode()


@pytest.mark.requirement("text-kinds-read-by-glob")
def test_a_notebook_is_read_as_text_and_code_without_outputs() -> None:
    extracted = extract_notebook(
        notebook(
            {"cell_type": "markdown", "source": ["# Tides\n", "\n", "Read from the gauge."]},
            {"cell_type": "code", "source": "print(4711)", "outputs": [{"text": ["secret output"]}]},
            {"cell_type": "markdown", "source": "## Result\n\n```\nfenced\n```"},
            {"cell_type": "code", "source": ["s = '''\n", "```\n", "'''"]},
            language_info={"name": "python"},
        ),
        fallback_title="n",
    )
    assert extracted.title == "Tides"
    assert [section.slug for section in extracted.sections] == ["tides", "tides/result"]
    assert "```python\nprint(4711)\n```" in extracted.body
    assert "````python\ns = '''\n```\n'''\n````" in extracted.body
    assert "secret output" not in extracted.body
    assert extracted.metadata == {"language": "python"}


def test_a_first_cell_in_the_form_of_front_matter_names_the_title_of_a_notebook() -> None:
    cell = {"cell_type": "raw", "source": "---\ntitle: Tide tables\n---"}
    extracted = extract_notebook(notebook(cell, {"cell_type": "code", "source": "print(4711)"}), fallback_title="n")
    assert extracted.title == "Tide tables"


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"no json", b'{"cells": [{"cell_type": "code"}]}', b"[" * 10**5])
def test_json_that_is_not_a_notebook_is_refused(data: bytes) -> None:
    with pytest.raises(SkippableSourceError, match="notebook"):
        extract_notebook(data, fallback_title="n")


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["cells", "source", "cell_type", "metadata", "worksheets"]), inner)
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_notebook_or_refused(value: Any) -> None:
    try:
        extracted = extract_notebook(json.dumps(value).encode(), fallback_title="n")
    except SkippableSourceError:
        return
    assert_sound(extracted)


@pytest.mark.requirement("text-kinds-read-by-glob")
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.json", BlockKind.CODE),
        ("a.yaml", BlockKind.CODE),
        ("a.toml", BlockKind.CODE),
        ("a.log", BlockKind.CODE),
        ("a.py", BlockKind.CODE),
        ("a.org", BlockKind.PARAGRAPH),
        ("a.tex", BlockKind.PARAGRAPH),
        ("README", BlockKind.PARAGRAPH),
        ("a.csv", BlockKind.TABLE),
        ("a.tsv", BlockKind.TABLE),
    ],
)
async def test_code_and_data_are_read_as_text(name: str, kind: BlockKind, parsers: ParserPool) -> None:
    body = b"first: line\nsecond: line\n"
    extracted = await read_file(f"folder/{name}", body, parsers)
    assert [block.kind for block in extracted.blocks] == [kind]
    assert extracted.body == body.decode()


@pytest.mark.requirement("text-kinds-read-by-glob")
def test_tables_are_read_by_default_and_code_when_a_pattern_names_it() -> None:
    assert {".csv", ".tsv", ".org", ".canvas", ".base", ".excalidraw"} <= READ_SUFFIXES
    assert not READ_SUFFIXES & {".json", ".yaml", ".toml", ".tex", ".ipynb", ".log", ".py", ""}


@pytest.mark.requirement("hidden-parts-are-read-or-named")
def test_every_output_and_stored_picture_of_a_notebook_is_counted() -> None:
    outputs = [{"output_type": "stream", "text": ["teal"]}, {"output_type": "display_data"}]
    cells = [
        {"cell_type": "code", "source": "a = 1", "outputs": outputs},
        {"cell_type": "markdown", "source": "![x](attachment:x.png)", "attachments": {"x.png": {"image/png": "AAAA"}}},
    ]
    found = extract_notebook(json.dumps({"cells": cells}).encode(), fallback_title="t")
    assert in_words(found.left_out) == "2 outputs of a code cell, 1 image without text"
