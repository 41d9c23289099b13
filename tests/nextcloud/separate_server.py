"""The double in its own process, so that its cost is not counted as the product's and no lock is shared with it."""

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from tests.nextcloud.server import Nextcloud
from tests.support.patience import HANG_SECONDS

_P = ParamSpec("_P")
_R = TypeVar("_R")


class SeparateServer:
    """A running server at `url`; `do` runs a module's function on it in its process."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.url = ""

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid or 0

    def do(self, work: Callable[Concatenate[Nextcloud, _P], _R], *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """What `work(server, ...)` answers in the process of the server; everything is sent there and back."""
        self._pipe.send((work, args, kwargs))
        done: _R = self._pipe.recv()
        return done

    def __enter__(self) -> Self:
        self._process.start()
        self.url = self._pipe.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join(HANG_SECONDS)


def _serve(pipe: "Connection[Any, Any]") -> None:
    with Nextcloud() as server:
        pipe.send(server.url)
        while True:
            try:
                work, args, kwargs = pipe.recv()
            except EOFError:
                return
            pipe.send(work(server, *args, **kwargs))
