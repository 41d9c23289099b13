"""One lock for the world: controls run in the test's thread, requests in the server's."""

import functools
from collections.abc import Callable
from threading import RLock
from typing import Concatenate, ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Locked(Protocol):
    """Whatever is held by the world's lock."""

    @property
    def lock(self) -> RLock: ...


R = TypeVar("R", bound=Locked)


def locked(method: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
    """A method that no other thread's interrupts."""

    @functools.wraps(method)
    def held(self: R, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.lock:
            return method(self, *args, **kwargs)

    return held
