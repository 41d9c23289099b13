"""Which titles are names."""

import pytest

from citemark.graph.name_rules import names_something


@pytest.mark.parametrize(
    "title", ["overview", "see also", "example", "beispiel", "how it works", "https://", "2.1", "a"]
)
def test_a_title_that_any_text_may_have_is_no_name(title: str) -> None:
    assert not names_something(title)


@pytest.mark.parametrize("title", ["claim registration", "tools/list", "stdio", "whole-sale service", "c++"])
def test_what_is_called_so_and_nothing_else_is_a_name(title: str) -> None:
    assert names_something(title)
