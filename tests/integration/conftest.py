"""What tests with an app of their own would else load anew for each: a second of every test's time."""

from collections.abc import Callable, Generator
from functools import cache
from typing import Any

import pytest

from citemark.embedding import graphs
from citemark.embedding.minilm import WordPieces
from citemark.indexing import language_detector

_LOADERS: tuple[tuple[Any, str], ...] = (
    (graphs, "open_graph"),
    (WordPieces, "load"),
    (language_detector, "_loaded"),
)


@pytest.fixture(scope="session")
def remembered() -> list[Callable[..., Any]]:
    """The loaders of the models, each of which loads the same file once."""
    return [cache(getattr(owner, name)) for owner, name in _LOADERS]


@pytest.fixture(autouse=True)
def models_are_loaded_once(remembered: list[Callable[..., Any]]) -> Generator[None, None, None]:
    """Every app makes its models as ever, out of what this process has loaded."""
    with pytest.MonkeyPatch.context() as patch:
        for (owner, name), load in zip(_LOADERS, remembered, strict=True):
            patch.setattr(owner, name, load)
        yield
