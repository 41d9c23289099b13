"""Batches, patience and suspicion: how a provider is asked so that one bad text or one bad moment stops nothing."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import uniform
from typing import Any

import numpy as np
import stamina

from citemark.embedding.contract import (
    BadAnswer,
    EmbeddingFailed,
    ProviderBroken,
    ProviderSlow,
    ProviderUnavailable,
    RateLimited,
    RequestRefused,
    Vectors,
)
from citemark.embedding.providers.dialects import Malformed, Purpose, dialect_of
from citemark.embedding.providers.provider_transport import ProviderTransport
from citemark.embedding.providers.recipe import Recipe

_LEAST_LENGTH = 1e-9


class Unusable(ValueError):
    """Vectors that nobody can search by; says why."""


def unit_vectors(rows: Sequence[Any], expected: int | None) -> Vectors:
    """The rows as unit vectors, shape (len(rows), dimensions).

    Args:
        rows: one list of numbers each.
        expected: how many dimensions they must have, None when that is not known yet.

    Raises:
        Unusable: a row is no list of finite numbers, has another length, or points nowhere.
    """
    try:
        found = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise Unusable("are not lists of numbers of one length") from None
    if found.ndim != 2 or found.shape[1] == 0:  # noqa: PLR2004 - a matrix
        raise Unusable("are not lists of numbers")
    if expected is not None and found.shape[1] != expected:
        raise Unusable(f"have {found.shape[1]} dimensions instead of {expected}")
    if not np.isfinite(found).all():
        raise Unusable("hold values that are no numbers")
    # Scaled first: squares of very large values would overflow.
    largest = np.abs(found).max(axis=1, keepdims=True)
    if (largest < _LEAST_LENGTH).any():
        raise Unusable("are all zeros")
    scaled = found / largest
    units: Vectors = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return units


MOST_TEXTS = 32
"""What Text Embeddings Inference takes unless told otherwise; others take more."""

MOST_CHARACTERS = 64_000
"""About 16,000 tokens: no server's limit, and one answer is worth waiting for."""


def batches(texts: Sequence[str], places: Sequence[int], most_texts: int = MOST_TEXTS) -> Iterator[list[int]]:
    """Places of the texts in order, cut where a batch would pass a bound; a longer text stands alone."""
    batch: list[int] = []
    characters = 0
    for place in places:
        size = len(texts[place])
        if batch and (len(batch) >= most_texts or characters + size > MOST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(place)
        characters += size
    if batch:
        yield batch


PROBE_TEXT = "A canary in a coal mine warns of bad air before anybody can smell it."
_OTHER = "Invoices are due within thirty days of delivery."
_ALIKE = 0.9999
_TRUSTED = 30.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to keep trying: seconds for one request and for all of them, and the longest wait in between."""

    request: float
    total: float
    attempts: int
    wait: float


_QUESTION = RetryPolicy(request=8.0, total=8.0, attempts=2, wait=1.5)
_SHORT = 20.0
_SPREAD = 0.25


class EmbeddingsClient:
    """The conversation with one provider, inside one event loop."""

    def __init__(self, recipe: Recipe, key: str | None, *, timeout: float, most_at_once: int) -> None:
        self._recipe = recipe
        # One connection more than documents may use: a question never waits for them.
        self._wire = ProviderTransport(recipe, key, most_at_once + 1)
        self._dialect = dialect_of(recipe)
        self._patience = RetryPolicy(request=timeout, total=2 * timeout, attempts=5, wait=10.0)
        self._probing = RetryPolicy(request=min(timeout, _SHORT), total=_SHORT, attempts=3, wait=5.0)
        self._lanes = asyncio.Semaphore(most_at_once)
        self._most_texts = MOST_TEXTS
        self._dimensions = recipe.dimensions
        self._not_before = 0.0
        self._trusted_until = 0.0

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    async def questions(self, texts: Sequence[str]) -> Vectors:
        """The vectors of the phrasings of a question, in one request, within 8 seconds."""
        try:
            async with asyncio.timeout(_QUESTION.total):
                return await self._ask(texts, Purpose.QUERY, _QUESTION)
        except TimeoutError:
            raise ProviderSlow(
                f"The embedding provider at {self._recipe.origin} did not answer a question within "
                f"{_QUESTION.total:g} seconds.",
                "timeout",
            ) from None

    async def introduction(self) -> Vectors:
        """The vector of a fixed text, after a look at whether two texts get two vectors."""
        found = await self._ask([PROBE_TEXT, _OTHER], Purpose.DOCUMENT, self._probing)
        if float(found[0] @ found[1]) > _ALIKE:
            raise self._bad("are the same for different texts", "equal vectors")
        self._dimensions = found.shape[1]
        return found[0]

    async def documents(self, texts: Sequence[str]) -> tuple[Vectors, dict[int, str]]:
        """The vectors of documents, and by place why some have none; several requests at once."""
        vectors: Vectors = np.zeros((len(texts), self._dimensions or 0), np.float32)
        refused: dict[int, str] = {}
        try:
            async with asyncio.TaskGroup() as group:
                for places in batches(texts, range(len(texts)), self._most_texts):
                    group.create_task(self._batch(texts, places, self._patience, vectors, refused))
        except* EmbeddingFailed as errors:
            raise _first(errors) from None
        return vectors, refused

    async def _batch(
        self,
        texts: Sequence[str],
        places: Sequence[int],
        patience: RetryPolicy,
        vectors: Vectors,
        refused: dict[int, str],
    ) -> None:
        """Fill in the vectors of some places; halve the batch where the provider works but does not take all of it."""
        try:
            async with self._lanes:
                found = await self._ask([texts[place] for place in places], Purpose.DOCUMENT, patience)
        except (RequestRefused, ProviderBroken, BadAnswer) as error:
            if not await self._works():
                raise
            if len(places) == 1:
                refused[places[0]] = error.message
                return
        else:
            vectors[list(places)] = found
            return
        before = len(refused)
        half = len(places) // 2
        for part in (places[:half], places[half:]):
            # The provider was just seen to work: a part that fails fails for its texts.
            await self._batch(texts, part, replace(patience, attempts=2), vectors, refused)
        if len(refused) == before:
            # No text was to blame: it was their number.
            self._most_texts = max(1, min(self._most_texts, half))

    async def _works(self) -> bool:
        """Whether the provider embeds a harmless text; believed for half a minute."""
        now = asyncio.get_running_loop().time()
        if now < self._trusted_until:
            return True
        try:
            async with self._lanes:
                await self._ask([PROBE_TEXT], Purpose.DOCUMENT, self._probing)
        except EmbeddingFailed:
            return False
        self._trusted_until = now + _TRUSTED
        return True

    async def _ask(self, texts: Sequence[str], purpose: Purpose, patience: RetryPolicy) -> Vectors:
        """One request, repeated while that may help.

        Raises:
            EmbeddingFailed: the last failure.
        """
        retrying = stamina.AsyncRetryingCaller(
            attempts=patience.attempts, timeout=patience.total, wait_initial=0.25, wait_max=5.0, wait_jitter=_SPREAD
        )

        def again(error: Exception) -> bool | float:
            if not isinstance(error, ProviderUnavailable) or (isinstance(error, ProviderSlow) and len(texts) > 1):
                return False
            error.details["origin"] = self._recipe.origin
            if error.retry_after is None:
                return True
            if isinstance(error, RateLimited):
                self._not_before = asyncio.get_running_loop().time() + error.retry_after
            # Whoever asked gives the work back rather than hold a thread and a lease for minutes.
            return error.retry_after + uniform(0.0, _SPREAD) if error.retry_after <= patience.wait else False

        async def once() -> Vectors:
            if purpose is Purpose.DOCUMENT:
                await self._turn(patience.wait)
            return await self._once(texts, purpose, patience.request)

        return await retrying(again, once)

    async def _turn(self, longest: float) -> None:
        """Wait while the provider asked anybody for patience.

        Raises:
            RateLimited: that is longer than `longest` seconds from now.
        """
        left = self._not_before - asyncio.get_running_loop().time()
        if left > longest:
            raise RateLimited(
                f"The embedding provider at {self._recipe.origin} wants no request for another {left:.0f} seconds.",
                "rate limit",
                left,
            )
        if left > 0:
            await asyncio.sleep(left)

    async def _once(self, texts: Sequence[str], purpose: Purpose, deadline: float) -> Vectors:
        recipe = self._recipe
        prefix = recipe.query_prefix if purpose is Purpose.QUERY else recipe.document_prefix
        call = self._dialect.call(recipe, self._wire.key, [prefix + text for text in texts], purpose)
        answer = await self._wire.send(call, deadline)
        try:
            return unit_vectors(self._dialect.vectors(answer, len(texts)), self._dimensions)
        except Malformed as error:
            raise BadAnswer(
                f"The answer of the embedding provider at {recipe.origin} {error}; see whether embedding_provider is "
                "what it speaks.",
                "malformed answer",
            ) from None
        except Unusable as error:
            raise self._bad(str(error), "unusable vectors") from None

    def _bad(self, what: str, summary: str) -> BadAnswer:
        recipe = self._recipe
        message = f"The vectors that {recipe.model!r} at {recipe.origin} answers with {what}."
        if recipe.dimensions is not None and "dimensions" in what:
            message += " The model does not shorten its vectors: leave embedding_dimensions out."
        elif "dimensions" in what:
            message += " Another model may have taken its place: change embedding_revision to build its vectors anew."
        return BadAnswer(message, summary)


def _first(errors: "ExceptionGroup[EmbeddingFailed]") -> EmbeddingFailed:
    """The failure to tell: one that a person must act on before one that may pass."""
    return min(_flat(errors), key=lambda error: isinstance(error, ProviderUnavailable))


def _flat(errors: "ExceptionGroup[EmbeddingFailed]") -> list[EmbeddingFailed]:
    flat: list[EmbeddingFailed] = []
    for error in errors.exceptions:
        flat.extend(_flat(error) if isinstance(error, ExceptionGroup) else [error])
    return flat
