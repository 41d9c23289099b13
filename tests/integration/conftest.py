"""What tests with an app of their own would else load anew for each: a second of every test's time."""

from collections.abc import Callable, Generator
from functools import cache
from typing import Any

import pytest

from citemark.embedding import graphs
from citemark.embedding.word_pieces import WordPieces
from citemark.indexing import language_detector

_LOADERS: tuple[tuple[Any, str], ...] = (
    (graphs, "open_graph"),
    (WordPieces, "load"),
    (language_detector, "_loaded"),
)


_MOST_REMEMBERED = 3_000
"""Results of a graph, 1.5 kB a text: most tests embed pages and questions that others of the same process embedded."""


class RememberingSession:
    """A session of onnxruntime that computes the same batch once, which took an eighth of the time of such tests."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._results: dict[tuple[bytes, ...], list[Any]] = {}

    def run(self, names: list[str], inputs: dict[str, Any], options: Any = None) -> list[Any]:
        """The result of the real session, made now or before; one that is told to end is asked in any case."""
        if options is not None and options.terminate:
            return self._session.run(names, inputs, options)
        key = tuple(bytes(str(each.shape), "ascii") + each.tobytes() for each in inputs.values())
        result = self._results.pop(key, None)
        if result is None:
            result = self._session.run(names, inputs, options)
        self._results[key] = result
        while len(self._results) > _MOST_REMEMBERED:
            self._results.pop(next(iter(self._results)), None)
        return [each.copy() for each in result]


@pytest.fixture(scope="session")
def remembered() -> list[Callable[..., Any]]:
    """The loaders of the models, each of which loads the same file once."""

    def open_graph(*arguments: Any) -> RememberingSession:
        return RememberingSession(opened(*arguments))

    opened = graphs.open_graph
    return [cache(open_graph), *(cache(getattr(owner, name)) for owner, name in _LOADERS[1:])]


@pytest.fixture(autouse=True)
def models_are_loaded_once(remembered: list[Callable[..., Any]]) -> Generator[None, None, None]:
    """Every app makes its models as ever, out of what this process has loaded."""
    with pytest.MonkeyPatch.context() as patch:
        for (owner, name), load in zip(_LOADERS, remembered, strict=True):
            patch.setattr(owner, name, load)
        yield
