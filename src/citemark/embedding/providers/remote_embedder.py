"""An embedder whose model a provider runs: blocking calls over an event loop in its own thread."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from citemark.embedding.contract import EmbeddingFailed, ProviderUnavailable, RequestRefused, TextsRefused, Vectors
from citemark.embedding.providers.embeddings_client import MOST_TEXTS, EmbeddingsClient
from citemark.embedding.providers.recipe import Recipe
from citemark.model.vectors import EmbeddingIdentity, SetOrigin

T = TypeVar("T")
_END_SECONDS = 5.0
"""How long cancelling requests and closing connections may take; then the process ends in any case."""


_PAUSE_SECONDS = 15.0
"""The pause after a failed question: a provider that hangs costs one search its eight seconds, not every search."""


class RemoteEmbedder:
    """Embeds texts with a provider over HTTP. Every method may be called from any thread.

    A question waits 8 seconds at most; after a failed one, further questions fail without a request for 15 seconds.
    """

    def __init__(
        self,
        recipe: Recipe,
        key: str | None,
        *,
        timeout: float = 60.0,
        most_at_once: int = 4,
        most_texts: int = MOST_TEXTS,
    ) -> None:
        """Set up the client without sending anything yet.

        Args:
            recipe: the provider, the model and their settings.
            key: the provider's key; None for a provider without keys.
            timeout: seconds for one request that embeds documents.
            most_at_once: the most requests under way at the same time.
            most_texts: the most texts of a request.
        """
        self._recipe = recipe
        self._loop = LoopThread()
        self._client = EmbeddingsClient(recipe, key, timeout=timeout, most_at_once=most_at_once, most_texts=most_texts)
        self._lock = Lock()
        self._probe_vector: Vectors | None = None
        self._paused_until = 0.0
        self._pause_reason = ("", "")

    @property
    def model(self) -> str:
        """The model's name, with its provider's."""
        return f"{self._recipe.provider}/{self._recipe.model}"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the recipe."""
        return self._recipe.fingerprint

    @property
    def recipe(self) -> Recipe:
        """The provider, the model and their settings."""
        return self._recipe

    @property
    def identity(self) -> EmbeddingIdentity:
        """The identity of the vector space; the first call asks the provider how many dimensions it has."""
        return EmbeddingIdentity(self.model, self.fingerprint, self._probe().shape[0], max_tokens=0)

    @property
    def origin(self) -> SetOrigin:
        """The recipe, and the vector of a fixed text."""
        return SetOrigin(self._recipe.as_dict(), tuple(self._probe().tolist()))

    @property
    def calibration(self) -> None:
        """None: a model without a shipped fit is scored by random pairs of the corpus."""
        return

    def embed_query(self, text: str) -> Vectors:
        """Embed one question as one unit vector, shape (dimensions,)."""
        vector: Vectors = self.embed_queries([text])[0]
        return vector

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed phrasings of a question as unit vectors, shape (len(texts), dimensions), in one request."""
        if monotonic() < self._paused_until:
            raise ProviderUnavailable(*self._pause_reason)
        try:
            return self._loop.run(self._client.embed_questions(texts))
        except RequestRefused:
            # Only this question is at fault.
            raise
        except EmbeddingFailed as error:
            self._pause_reason = (error.message, error.summary)
            self._paused_until = monotonic() + _PAUSE_SECONDS
            raise

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts as unit vectors, shape (len(texts), dimensions), in the order given."""
        self._probe()
        vectors, refused = self._loop.run(self._client.embed_documents(texts))
        if refused:
            raise TextsRefused(refused)
        return vectors

    def close(self) -> None:
        """End every request, and the thread that runs them."""
        self._loop.close(self._client.close)

    def _probe(self) -> Vectors:
        with self._lock:
            if self._probe_vector is None:
                self._probe_vector = self._loop.run(self._client.probe())
            return self._probe_vector


class LoopThread:
    """An event loop in a thread: runs coroutines for any number of threads, and is started by the first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` and return its result.

        Raises:
            ProviderUnavailable: the loop was closed before or during the call.
        """
        try:
            loop = self._running_loop()
        except ProviderUnavailable:
            work.close()
            raise
        try:
            return asyncio.run_coroutine_threadsafe(work, loop).result()
        except CancelledError:
            raise ProviderUnavailable("Citemark is closing.", "closing") from None

    def close(self, last: Callable[[], Awaitable[None]]) -> None:
        """Cancel all running work, await `last`, and end the thread; waiting callers get an error."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        with suppress(CancelledError, TimeoutError):
            asyncio.run_coroutine_threadsafe(_end(last), loop).result(_END_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_END_SECONDS)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
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
