"""What of a model's texts is shown with a hit."""

from dataclasses import replace
from typing import Any, cast

from tests.support.chunks import stored
from tests.support.in_memory_services import ME

from citemark.features.archimate.services.requests import ElementSearch, QueryScope
from citemark.features.archimate.services.responses import HitPage
from citemark.features.archimate.services.search import ElementSearchService, context_of


def test_a_later_part_of_a_long_text_is_shown_below_the_line_that_says_of_what() -> None:
    later = replace(stored(1, "and it closes at two bar."), title="Relief valve", context="Relief valve (Node)")
    assert context_of(later) == "Relief valve (Node)\nand it closes at two bar."
    assert context_of(replace(later, context="")) == "and it closes at two bar."
    first = replace(later, text="Relief valve opens at four bar.")
    assert context_of(first) == "Relief valve opens at four bar."


async def test_where_all_places_that_are_left_were_withheld_no_cursor_is_given() -> None:
    service = ElementSearchService(cast("Any", None), cast("Any", None))
    hit, place = cast("Any", None), cast("Any", None)
    page = HitPage(hits=(hit,), places=(1,), shown=0, ranking=(place, place), more=False, meta=cast("Any", None))
    assert await service.cursor(ME, ElementSearch(QueryScope(), "valve"), page, 1) is None
