import io

import pytest
from PIL import Image

from citemark.extraction.ocr.pictures import pictures_of
from citemark.model.errors import SkippableSourceError


def saved(pages: int, kind: str) -> bytes:
    """A picture of so many pages; each is a little wider than the one before, so that they differ."""
    first, *others = [Image.new("RGB", (4 + number, 4), "white") for number in range(pages)]
    stream = io.BytesIO()
    first.save(stream, kind, save_all=True, append_images=others) if others else first.save(stream, kind)
    return stream.getvalue()


def test_pages_after_those_that_are_recognised_are_told_one_by_one() -> None:
    found = list(pictures_of(saved(5, "TIFF"), 3))
    assert [None if picture is None else picture.shape for picture in found] == [
        (4, 4, 3),
        (4, 5, 3),
        (4, 6, 3),
        None,
        None,
    ]


@pytest.mark.parametrize("kind", ["BMP", "JPEG", "PNG", "TIFF", "WEBP"])
def test_a_picture_of_one_page_has_nothing_after_it(kind: str) -> None:
    assert [picture is not None for picture in pictures_of(saved(1, kind), 1)] == [True]


def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(SkippableSourceError, match="broken or in an unknown format"):
        list(pictures_of(b"no picture", 1))
