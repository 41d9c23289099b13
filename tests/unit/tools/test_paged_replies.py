"""Pages of rows as replies: as many rows as fit, in as few attempts as that takes."""

from dataclasses import replace

import pytest
from tests.unit.tools.double import DoubleServices
from tests.unit.tools.strangers import Stranger

from citemark.model.errors import BudgetExceeded
from citemark.results.shape import Strict
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
from citemark.settings import Settings
from citemark.tools.paged_replies import fitting
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply

META = Stranger("Pumps are blue.", "Pumps").meta()


class _Row(Strict):
    name: str
    shortened: list[str] | None = None


class _Page(Strict):
    rows: list[_Row]


class _Pages:
    """A list of `count` rows of which `room` fit a result, and what was made of it."""

    def __init__(self, count: int, room: int, *, further: bool = False, shortened: bool = False) -> None:
        self.made: list[int] = []
        self.cursors: list[int] = []
        self._count, self._room, self._further = count, room, further
        self._shortened = ["name"] if shortened else None

    async def reply(self) -> tuple[int, ResponseMeta]:
        """The number of rows in the reply, and its metadata."""
        metas: list[ResponseMeta] = []

        def build(kept: int, meta: ResponseMeta) -> ToolReply:
            self.made.append(kept)
            metas.append(meta)
            return ToolReply(_Page(rows=[_Row(name="pump", shortened=self._shortened)] * kept), "")

        async def cursor(kept: int) -> str | None:
            self.cursors.append(kept)
            return f"after {kept}" if self._further or kept < self._count else None

        def fits(reply: ToolReply) -> bool:
            assert isinstance(reply.out, _Page)
            return len(reply.out.rows) <= self._room

        call = ToolCall(DoubleServices(), Caller.local(), Settings(), fits)
        reply = await fitting(call, META, self._count, build, cursor)
        assert isinstance(reply.out, _Page)
        return len(reply.out.rows), metas[-1]


async def test_a_page_that_fits_is_made_once_and_says_where_the_list_continues() -> None:
    last, middle = _Pages(25, 25), _Pages(25, 25, further=True)
    assert await last.reply() == (25, META)
    assert await middle.reply() == (
        25,
        replace(META, partial=True, limit_reason="page_size", next_cursor="after 25"),
    )
    assert (last.made, middle.made) == ([25], [25])


async def test_a_page_that_does_not_fit_keeps_as_many_rows_as_do() -> None:
    pages = _Pages(25, 7)
    assert await pages.reply() == (7, replace(META, partial=True, limit_reason="byte_cap", next_cursor="after 7"))
    assert pages.cursors == [25, 7]
    with pytest.raises(BudgetExceeded):
        await _Pages(25, 0).reply()


async def test_a_page_with_a_shortened_row_says_so() -> None:
    _, meta = await _Pages(3, 25, shortened=True).reply()
    assert meta.partial
    assert any("shortened" in note for note in meta.notes)
