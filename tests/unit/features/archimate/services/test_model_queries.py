"""Cursors of lists that are read from a model again."""

from typing import Any, cast

import pytest
from tests.support.in_memory_services import ME

from citemark.features.archimate.services.model_queries import Cursors
from citemark.features.archimate.services.requests import PartList, QueryScope
from citemark.model.errors import UnknownCursor


class Kept:
    """Keeps one place for every cursor."""

    def __init__(self, **state: str) -> None:
        self._state = state

    async def place(self, *_: object) -> dict[str, str]:
        return self._state


@pytest.mark.parametrize(
    "state", [{}, {"at": "yesterday", "after": "[]"}, {"at": "2026-01-31T12:00:00+00:00", "after": "{"}]
)
async def test_a_cursor_in_the_form_of_another_version_is_unknown(state: dict[str, str]) -> None:
    with pytest.raises(UnknownCursor):
        await Cursors(cast("Any", Kept(**state))).find(ME, PartList(QueryScope(), "element", cursor="c"))
