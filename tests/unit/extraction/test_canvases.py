"""Canvases and drawings: their texts in the order in which people read them, with links."""

import json

import pytest

from citemark.extraction.canvases import extract_canvas, extract_drawing
from citemark.model.errors import SkippableSourceError
from citemark.model.unread_parts import in_words

pytestmark = pytest.mark.requirement("boards-and-org-are-read")


def test_a_canvas_is_its_cards_from_top_to_bottom_with_files_links_groups_and_arrows() -> None:
    nodes = [
        {"id": "2", "type": "file", "x": 0, "y": 9, "file": "sub/Note.md", "subpath": "#Head"},
        {"id": "1", "type": "text", "x": 0, "y": 0, "text": "# Plan\nThe pump opens at 4 bar."},
        {"id": "3", "type": "group", "label": "Hall", "x": 0, "y": -1},
        {"id": "4", "type": "link", "url": "https://x.example", "x": 0, "y": 5},
    ]
    edges = [{"fromNode": "1", "toNode": "2", "label": "feeds"}, {"fromNode": "1", "toNode": "4"}]
    found = extract_canvas(json.dumps({"nodes": nodes, "edges": edges}), fallback_title="Board")
    assert found.title == "Board"
    assert found.body.split("\n\n") == [
        "## Hall",
        "# Plan\nThe pump opens at 4 bar.",
        "<https://x.example>",
        "[[sub/Note.md#Head]]",
        "- Plan → sub/Note.md: feeds",
    ]
    assert [link.target for link in found.links] == ["https://x.example", "[[sub/Note.md#Head]]"]


def test_a_drawing_is_its_texts_without_deleted_ones() -> None:
    elements = [
        {"type": "text", "text": "below", "x": 0, "y": 5},
        {"type": "text", "text": "wrapped\nhere", "originalText": "wrapped here", "x": 0, "y": 1, "link": "[[Note]]"},
        {"type": "text", "text": "gone", "isDeleted": True, "x": 0, "y": 0},
        {"type": "frame", "name": "Frame A", "x": 0, "y": 0},
        {"type": "rectangle", "x": 0, "y": 0},
    ]
    found = extract_drawing(json.dumps({"type": "excalidraw", "elements": elements}), fallback_title="d")
    assert found.body.split("\n\n") == ["## Frame A", "wrapped here", "[[Note]]", "below"]


@pytest.mark.parametrize("body", ["[1]", "{", "[" * 5_000, '"text"'])
def test_another_file_is_refused_with_what_to_do(body: str) -> None:
    with pytest.raises(SkippableSourceError, match="broken"):
        extract_canvas(body, fallback_title="f")


@pytest.mark.parametrize("body", ["", "{}", '{"nodes": 1, "edges": [1]}', '{"nodes": [{"type": "text", "text": 5}]}'])
def test_an_empty_board_is_an_empty_page(body: str) -> None:
    assert extract_canvas(body, fallback_title="f").body == ""


@pytest.mark.requirement("hidden-parts-are-read-or-named")
def test_cards_of_an_unknown_kind_are_read_and_pictures_of_a_drawing_are_counted() -> None:
    assert "Teal" in extract_canvas(json.dumps({"nodes": [{"type": "later", "text": "Teal"}]}), fallback_title="t").body
    elements = [{"type": "text", "text": "Teal"}, {"type": "image"}, {"type": "image", "isDeleted": True}]
    found = extract_drawing(json.dumps({"elements": elements}), fallback_title="t")
    assert in_words(found.left_out) == "1 image without text"
