"""The multilingual model is offered for documents that are known to be in other languages than English."""

import pytest

from citemark.cli.multilingual_offer import is_for


@pytest.mark.parametrize(
    ("counts", "offered"),
    [
        ({"english": 2, "german": 1}, False),  # a third, and no more
        ({"english": 3, "german": 1, "french": 1}, True),
        ({"english": 1, "simple": 9}, False),  # read without a language, so of none that is known
        ({}, False),
    ],
)
def test_more_than_a_third_has_to_be_in_languages_that_are_known(counts: dict[str, int], *, offered: bool) -> None:
    assert is_for(counts) == offered
