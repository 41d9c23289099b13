"""Which titles are names."""

import pytest

from citemark.features.graph.mentions.name_rules import names_something


@pytest.mark.parametrize(
    "title", ["overview", "see also", "example", "beispiel", "how it works", "https://", "2.1", "a"]
)
def test_a_generic_title_is_not_a_name(title: str) -> None:
    assert not names_something(title)


@pytest.mark.parametrize("title", ["claim registration", "tools/list", "stdio", "whole-sale service", "c++"])
def test_a_distinctive_title_is_a_name(title: str) -> None:
    assert names_something(title)
