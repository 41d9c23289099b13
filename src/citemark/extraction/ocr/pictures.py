"""The pages of a picture as pixels: a fax has several, most pictures have one."""

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from citemark.model.errors import SkippableSourceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIXELS = 2400
"""Of the longer side of a picture: A4 at 200 dots per inch, at which small print is read, has 2,339."""

_MOST_PICTURE = 100_000_000
"""Pixels of a picture: A3 at 600 dots per inch has 70 million."""


def pictures_of(data: bytes, most: int) -> Iterator["NDArray[np.uint8] | None"]:
    """Yield the pages in three colours, upright and small enough; None for each page after the first `most`.

    Raises:
        SkippableSourceError: it is no picture, or too large.
    """
    import numpy as np  # noqa: PLC0415 - loaded where it is used
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415 - loaded where it is used

    try:
        with Image.open(io.BytesIO(data)) as image:
            pages = getattr(image, "n_frames", 1)  # pictures of formats that hold one have no such number
            for number in range(min(pages, most)):
                image.seek(number)
                if image.width * image.height > _MOST_PICTURE:
                    raise SkippableSourceError(f"The picture has more than {_MOST_PICTURE:,} pixels; save it smaller.")
                image.draft("RGB", (MOST_PIXELS, MOST_PIXELS))
                upright = ImageOps.exif_transpose(image).convert("RGB")
                upright.thumbnail((MOST_PIXELS, MOST_PIXELS))
                yield cast("NDArray[np.uint8]", np.asarray(upright))
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError) as error:
        raise SkippableSourceError("The picture is broken or in an unknown format; save it as PNG or JPEG.") from error
    yield from [None] * max(0, pages - most)
