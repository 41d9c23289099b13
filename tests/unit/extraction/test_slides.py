"""Where a presentation has its shapes and its properties, in files of this and of other programs."""

from collections.abc import Callable
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pptx
import pytest
from pptx.util import Inches

from citemark.extraction.pptx import extract_pptx
from citemark.extraction.slides import Presentation

_TWO_CONTENTS = 3


def _deck(fill: Callable[[Any], None], layout: int = _TWO_CONTENTS) -> bytes:
    made: Any = pptx.Presentation()
    fill(made.slides.add_slide(made.slide_layouts[layout]))
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def _edited(data: bytes, part: str, edit: Callable[[str], str | None]) -> bytes:
    """The file with one part edited, or without it."""
    out = BytesIO()
    with ZipFile(BytesIO(data)) as source, ZipFile(out, "w") as target:
        for name in source.namelist():
            content: bytes | str | None = source.read(name)
            if name == part:
                content = edit(source.read(name).decode())
            if content is not None:
                target.writestr(name, content)
    return out.getvalue()


def _body(data: bytes) -> list[str]:
    return extract_pptx(data, fallback_title="t").body.split("\n\n")


def _two_columns(slide: Any) -> None:
    slide.placeholders[2].text_frame.text = "right"
    slide.placeholders[1].text_frame.text = "left"
    slide.shapes._spTree.append(slide.placeholders[1]._element)


def test_a_placeholder_has_the_place_that_its_layout_gives_it() -> None:
    data = _deck(_two_columns)
    assert _body(data) == ["- left\n- right"]
    places = {name: shape.placeholder for name, shape in zip("abc", _shapes(data), strict=True)}
    assert list(places.values()) == ["title", "", ""]


def _shapes(data: bytes) -> list[Any]:
    opened = Presentation(data)
    return opened.slide(opened.references[0]).shapes()


def test_a_placeholder_that_neither_slide_nor_layout_places_is_where_the_master_has_it() -> None:
    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Title"
        slide.placeholders[1].text_frame.text = "body of the master"
        box = slide.shapes.add_textbox(Inches(1), Inches(1), Inches(1), Inches(0.2))
        box.text_frame.text = "above it"

    data = _deck(fill, layout=1)
    assert _body(data) == ["# Title", "above it", "- body of the master"]


@pytest.mark.parametrize(
    ("written", "first"),
    [("2in", "upper"), ("50mm", "upper"), ("5cm", "upper"), ("144pt", "upper"), ("12pc", "upper"), ("wide", "lower")],
)
def test_a_place_may_be_written_in_any_unit_and_one_that_is_none_is_the_top(written: str, first: str) -> None:
    def fill(slide: Any) -> None:
        for words, top in (("lower", 1.9), ("upper", 1)):
            slide.shapes.add_textbox(Inches(1), Inches(top), Inches(1), Inches(1)).text_frame.text = words

    old = f'<a:off x="{Inches(1)}" y="{Inches(1.9)}"/>'
    new = f'<a:off x="{Inches(1)}" y="{written}"/>'
    data = _edited(_deck(fill, layout=6), "ppt/slides/slide1.xml", lambda xml: xml.replace(old, new))
    assert _body(data)[0] == first


def test_a_file_without_properties_has_none_of_its_own() -> None:
    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Title"

    data = _edited(_deck(fill, layout=1), "docProps/core.xml", lambda _: None)
    data = _edited(data, "_rels/.rels", lambda xml: xml.replace("metadata/core-properties", "metadata/none"))
    extracted = extract_pptx(data, fallback_title="From the name")
    assert extracted.title == "From the name"
    assert dict(extracted.metadata) == {"slides": "1"}


def test_a_template_and_a_show_are_read_as_presentations() -> None:
    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Title"

    for kind in ("template", "slideshow"):
        data = _edited(
            _deck(fill, layout=1),
            "[Content_Types].xml",
            lambda xml, kind=kind: xml.replace("presentation.main+xml", f"{kind}.main+xml"),
        )
        assert _body(data) == ["# Title"]
