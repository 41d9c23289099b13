"""The client for an embedding provider: batches, retries, and checks of what comes back.

One text that the provider does not accept, or one bad moment of the provider, stops nothing else.
"""

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
from citemark.embedding.providers.dialects import MalformedReply, Purpose, dialect_of
from citemark.embedding.providers.provider_transport import ProviderTransport
from citemark.embedding.providers.recipe import Recipe

PROBE_TEXT = "A canary in a coal mine warns of bad air before anybody can smell it."
"""Its vector is stored with an embedding set: a different vector later means another model behind the same name."""

_OTHER_TEXT = "Invoices are due within thirty days of delivery."
_ALIKE = 0.9999
"""Cosine above which the vectors of the two texts above count as the same: the provider ignores what it is sent."""

MOST_TEXTS = 32
"""Most texts of one request: what Text Embeddings Inference accepts by default; other servers accept more."""

MOST_REQUEST_CHARACTERS = 64_000
"""Most characters of one request: about 16,000 tokens, below every server's limit and still worth one answer."""

_PROBE_SECONDS = 20.0
"""A probe is two short texts: a provider that takes longer for them is not working."""

_TRUSTED_SECONDS = 30.0
"""How long a provider that embedded the probe is assumed to work, so that halving a batch costs few more requests."""

_JITTER_SECONDS = 0.25
"""Keeps several processes from trying again at the same moment."""

_LEAST_LENGTH = 1e-9
"""A vector whose largest value is smaller has no direction."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How long to keep trying: seconds for one request and for all of them, and the longest wait in between."""

    request: float
    total: float
    attempts: int
    wait: float


_QUESTION_POLICY = RetryPolicy(request=8.0, total=8.0, attempts=2, wait=1.5)
"""A person is waiting for the answer; after eight seconds, a search by words must do (docs/embedding.md)."""


class EmbeddingsClient:
    """Embeds texts with one provider, inside one event loop."""

    def __init__(
        self, recipe: Recipe, key: str | None, *, timeout: float, most_at_once: int, most_texts: int = MOST_TEXTS
    ) -> None:
        self._recipe = recipe
        # One connection more than documents may use, so that a question never waits for them.
        self._transport = ProviderTransport(recipe, key, most_at_once + 1)
        self._dialect = dialect_of(recipe)
        self._document_policy = RetryPolicy(request=timeout, total=2 * timeout, attempts=5, wait=10.0)
        probe_seconds = min(timeout, _PROBE_SECONDS)
        self._probe_policy = RetryPolicy(request=probe_seconds, total=_PROBE_SECONDS, attempts=3, wait=5.0)
        self._slots = asyncio.Semaphore(most_at_once)
        self._most_texts = most_texts
        self._dimensions = recipe.dimensions
        self._not_before = 0.0
        self._trusted_until = 0.0

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Embed the phrasings of a question, in one request and within 8 seconds.

        Raises:
            EmbeddingFailed: the provider did not answer in time, or not as it should.
        """
        try:
            async with asyncio.timeout(_QUESTION_POLICY.total):
                return await self._request(texts, Purpose.QUERY, _QUESTION_POLICY)
        except TimeoutError:
            raise ProviderSlow(
                f"The embedding provider at {self._recipe.origin} did not answer a question within "
                f"{_QUESTION_POLICY.total:g} seconds.",
                "timeout",
            ) from None

    async def probe(self) -> Vectors:
        """Return the vector of `PROBE_TEXT`, after checking that the provider gives two texts different vectors.

        Raises:
            EmbeddingFailed: the provider cannot be asked, or its answer makes no sense.
        """
        vectors = await self._request([PROBE_TEXT, _OTHER_TEXT], Purpose.DOCUMENT, self._probe_policy)
        if float(vectors[0] @ vectors[1]) > _ALIKE:
            raise self._bad_vectors("are the same for different texts", "equal vectors")
        self._dimensions = vectors.shape[1]
        return vectors[0]

    async def embed_documents(self, texts: Sequence[str]) -> tuple[Vectors, dict[int, str]]:
        """Embed documents with several requests at the same time.

        Returns:
            The vectors, shape (len(texts), dimensions), and the reasons for refused texts, by the index of the text.

        Raises:
            EmbeddingFailed: the provider does not work, or does not answer in time.
        """
        vectors: Vectors = np.zeros((len(texts), self._dimensions or 0), np.float32)
        refused: dict[int, str] = {}
        failed: ExceptionGroup[EmbeddingFailed] | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for indexes in batches(texts, range(len(texts)), self._most_texts):
                    group.create_task(self._batch(texts, indexes, self._document_policy, vectors, refused))
        except* EmbeddingFailed as errors:
            failed = errors
        if failed is not None:  # raised here: Python before 3.11.4 wraps what the clause above raises in a group
            raise _most_urgent(failed)
        return vectors, refused

    async def _batch(
        self,
        texts: Sequence[str],
        indexes: Sequence[int],
        policy: RetryPolicy,
        vectors: Vectors,
        refused: dict[int, str],
    ) -> None:
        """Fill in the vectors of some texts; halve the batch if the provider works but does not accept all of it."""
        try:
            async with self._slots:
                batch_vectors = await self._request([texts[index] for index in indexes], Purpose.DOCUMENT, policy)
        except (RequestRefused, ProviderBroken, BadAnswer) as error:
            if not await self._is_working():
                raise
            if len(indexes) == 1:
                refused[indexes[0]] = error.message
                return
        else:
            vectors[list(indexes)] = batch_vectors
            return
        before = len(refused)
        half = len(indexes) // 2
        for part in (indexes[:half], indexes[half:]):
            # The provider was just seen to work: if a part fails, its texts are the reason.
            await self._batch(texts, part, replace(policy, attempts=2), vectors, refused)
        if len(refused) == before:
            # No text was to blame: it was their number.
            self._most_texts = max(1, min(self._most_texts, half))

    async def _is_working(self) -> bool:
        """Whether the provider embeds a harmless text; if it does, it is not asked again for half a minute."""
        now = asyncio.get_running_loop().time()
        if now < self._trusted_until:
            return True
        try:
            async with self._slots:
                await self._request([PROBE_TEXT], Purpose.DOCUMENT, self._probe_policy)
        except EmbeddingFailed:
            return False
        self._trusted_until = now + _TRUSTED_SECONDS
        return True

    async def _request(self, texts: Sequence[str], purpose: Purpose, policy: RetryPolicy) -> Vectors:
        """Send one request, and repeat it as long as that may help.

        Raises:
            EmbeddingFailed: the last failure.
        """
        retrying = stamina.AsyncRetryingCaller(
            attempts=policy.attempts, timeout=policy.total, wait_initial=0.25, wait_max=5.0, wait_jitter=_JITTER_SECONDS
        )

        def should_retry(error: Exception) -> bool | float:
            if not isinstance(error, ProviderUnavailable) or (isinstance(error, ProviderSlow) and len(texts) > 1):
                return False
            error.details["origin"] = self._recipe.origin
            if error.retry_after is None:
                return True
            if isinstance(error, RateLimited):
                self._not_before = asyncio.get_running_loop().time() + error.retry_after
            # The caller gives the work back rather than holding a thread and a lease for minutes.
            return error.retry_after + uniform(0.0, _JITTER_SECONDS) if error.retry_after <= policy.wait else False

        async def once() -> Vectors:
            if purpose is Purpose.DOCUMENT:
                await self._wait_turn(policy.wait)
            return await self._send(texts, purpose, policy.request)

        return await retrying(should_retry, once)

    async def _wait_turn(self, longest: float) -> None:
        """Wait as long as the provider has asked for fewer requests.

        Raises:
            RateLimited: that is more than `longest` seconds from now.
        """
        left = self._not_before - asyncio.get_running_loop().time()
        if left > longest:
            raise RateLimited(
                f"The embedding provider at {self._recipe.origin} accepts no requests for another {left:.0f} seconds.",
                "rate limit",
                left,
            )
        if left > 0:
            await asyncio.sleep(left)

    async def _send(self, texts: Sequence[str], purpose: Purpose, deadline: float) -> Vectors:
        recipe = self._recipe
        prefix = recipe.query_prefix if purpose is Purpose.QUERY else recipe.document_prefix
        call = self._dialect.call(recipe, self._transport.key, [prefix + text for text in texts], purpose)
        answer = await self._transport.send(call, deadline)
        try:
            return unit_vectors(self._dialect.vectors(answer, len(texts)), self._dimensions)
        except MalformedReply as error:
            raise BadAnswer(
                f"The answer of the embedding provider at {recipe.origin} {error}; see whether embedding_provider is "
                "what it speaks.",
                "malformed answer",
            ) from None
        except UnusableVectors as error:
            raise self._bad_vectors(str(error), "unusable vectors") from None

    def _bad_vectors(self, what: str, summary: str) -> BadAnswer:
        recipe = self._recipe
        message = f"The vectors that {recipe.model!r} at {recipe.origin} answers with {what}."
        if recipe.dimensions is not None and "dimensions" in what:
            message += " The model does not shorten its vectors: leave embedding_dimensions out."
        elif "dimensions" in what:
            message += " Another model may have taken its place: change embedding_revision to build its vectors again."
        return BadAnswer(message, summary)


def _most_urgent(errors: "ExceptionGroup[EmbeddingFailed]") -> EmbeddingFailed:
    """The failure to raise: one that a person must act on rather than one that may pass."""
    return min(_flattened(errors), key=lambda error: isinstance(error, ProviderUnavailable))


def _flattened(errors: "ExceptionGroup[EmbeddingFailed]") -> list[EmbeddingFailed]:
    flat: list[EmbeddingFailed] = []
    for error in errors.exceptions:
        flat.extend(_flattened(error) if isinstance(error, ExceptionGroup) else [error])
    return flat


def batches(texts: Sequence[str], places: Sequence[int], most_texts: int = MOST_TEXTS) -> Iterator[list[int]]:
    """The indexes of the texts in order, in batches within both limits; a text beyond them is a batch of its own."""
    batch: list[int] = []
    characters = 0
    for index in places:
        size = len(texts[index])
        if batch and (len(batch) >= most_texts or characters + size > MOST_REQUEST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(index)
        characters += size
    if batch:
        yield batch


class UnusableVectors(ValueError):
    """Vectors that cannot be searched; the message says why."""


def unit_vectors(rows: Sequence[Any], expected: int | None) -> Vectors:
    """The rows as unit vectors, shape (len(rows), dimensions).

    Args:
        rows: one list of numbers each.
        expected: how many dimensions they must have, or None if that is not known yet.

    Raises:
        UnusableVectors: a row is not a list of finite numbers, has another length, or is all zeros.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise UnusableVectors("are not lists of numbers of one length") from None
    if matrix.ndim != 2 or matrix.shape[1] == 0:  # noqa: PLR2004 - a matrix
        raise UnusableVectors("are not lists of numbers")
    if expected is not None and matrix.shape[1] != expected:
        raise UnusableVectors(f"have {matrix.shape[1]} dimensions instead of {expected}")
    if not np.isfinite(matrix).all():
        raise UnusableVectors("hold values that are not numbers")
    # Scaled first: squares of very large values would overflow.
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    if (largest < _LEAST_LENGTH).any():
        raise UnusableVectors("are all zeros")
    scaled = matrix / largest
    units: Vectors = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
    return units
