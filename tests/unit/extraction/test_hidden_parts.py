"""Nothing in a file is omitted in silence: a part is read, or a notice names it."""

import pytest
from tests.support.hidden_parts import WORD, HiddenPart, hidden_parts

from citemark.extraction.dispatch import read_file
from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.unread_parts import in_words

PARTS = tuple(hidden_parts())


def test_the_collection_has_sixty_kinds_of_parts() -> None:
    assert len({part.name for part in PARTS}) == len(PARTS) >= 60


@pytest.mark.requirement("hidden-parts-are-read-or-named")
async def test_a_hidden_part_is_read_or_named(parsers: ParserPool) -> None:
    lost = [part.name for part in PARTS if not await _is_read_or_named(part, parsers)]
    assert not lost


async def _is_read_or_named(part: HiddenPart, parsers: ParserPool) -> bool:
    found = await read_file(part.path, part.data, parsers)
    if part.named:
        return part.named in in_words(found.left_out).split(", ")
    return WORD in "\n".join([found.title, found.body, *found.tags, *found.metadata.values()])
