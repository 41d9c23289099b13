"""The MCP documentation, read as markdown-it reads it where the two ought to agree."""

from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.support.markdown import assert_sound

from citemark.extraction.markdown.document import extract_markdown
from citemark.model.text import BlockKind, Extracted, LineIndex

_NONE = "no title"


@pytest.fixture(scope="module")
def docs(shared_data: Path) -> dict[str, Extracted]:
    paths = sorted((shared_data / "docs-mcp" / "docs").rglob("*.mdx"))
    small = [path for path in paths if path.stat().st_size < 60_000]
    return {str(path): extract_markdown(path.read_text(), fallback_title=_NONE) for path in small}


def test_every_page_is_valid_and_has_the_title_of_its_front_matter(docs: dict[str, Extracted]) -> None:
    assert len(docs) > 300
    for path, extracted in docs.items():
        assert_sound(extracted)
        if "/snippets/" not in path:
            assert extracted.title != _NONE
            assert extracted.blocks[0].kind is BlockKind.FRONT_MATTER


def test_headings_are_found_where_markdown_it_sees_them(docs: dict[str, Extracted]) -> None:
    reference = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])
    for path, extracted in list(docs.items())[::4]:
        lines = LineIndex(extracted.body)
        first = extracted.blocks[0]
        head = lines.of(first.span).end if first.kind is BlockKind.FRONT_MATTER else 0
        text = "\n" * head + extracted.body[lines.starts[head] :]
        tokens = [token for token in reference.parse(text) if token.type == "heading_open" and token.level == 0]
        expected = [(token.map[0], int(token.tag[1])) for token in tokens if token.map]
        assert [(lines.at(s.span.start), s.level) for s in extracted.sections] == expected, path
