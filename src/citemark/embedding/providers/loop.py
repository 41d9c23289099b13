"""An event loop in a thread of its own: blocking callers, one connection pool, and an end that waits for nobody."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Lock, Thread
from typing import Any, TypeVar

from citemark.embedding.failures import ProviderUnavailable

T = TypeVar("T")
_END = 5.0


class LoopThread:
    """Runs coroutines for any number of threads; started by the first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`.

        Raises:
            ProviderUnavailable: the loop was closed before or meanwhile.
        """
        try:
            loop = self._started()
        except ProviderUnavailable:
            work.close()
            raise
        try:
            return asyncio.run_coroutine_threadsafe(work, loop).result()
        except CancelledError:
            raise ProviderUnavailable("Citemark is closing.", "closing") from None

    def close(self, last: Callable[[], Awaitable[None]]) -> None:
        """Cancel what runs, await `last`, end the thread; whoever waits is told."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        with suppress(CancelledError, TimeoutError):
            asyncio.run_coroutine_threadsafe(_end(last), loop).result(_END)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_END)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise ProviderUnavailable("Citemark is closing.", "closing")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=_serve, args=(self._loop,), name="embedding-provider", daemon=True)
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    loop.close()


async def _end(last: Callable[[], Awaitable[None]]) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await last()
