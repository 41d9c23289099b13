"""Vectors for scale data: mixes of two real embeddings with a little noise, normalised.

They keep the shape of the model's space, which random directions would not, at no cost of embedding.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from tests.bench.locations import cache
from tests.bench.texts import SEED, documents, questions

from citemark.embedding.minilm import MiniLM

Matrix: TypeAlias = npt.NDArray[np.float32]
_BASE = 4000
_WORDS = 120
_NOISE = 0.01
_BLOCK = 10_000


def base() -> Matrix:
    """Embeddings of real documents, made once: a minute and a half of one core that is no part of any figure."""
    return _kept("base", lambda: MiniLM().embed_documents(_base_texts()))


def question_vectors() -> Matrix:
    """The vector of every question, in the order of `questions()`."""
    model = MiniLM()
    return _kept("questions", lambda: np.stack([model.embed_query(text) for text in questions()]))


def chunk_vectors(chunks: int) -> Matrix:
    """One unit vector per chunk, shape (chunks, dimensions); a smaller set is the beginning of a larger one."""
    real = base()
    out = np.empty((chunks, real.shape[1]), np.float32)
    for start in range(0, chunks, _BLOCK):
        random = np.random.default_rng([SEED, start])
        first, second = random.integers(0, len(real), (2, _BLOCK))
        share = random.uniform(0.5, 0.95, (_BLOCK, 1)).astype(np.float32)
        noise = random.normal(0, _NOISE, (_BLOCK, real.shape[1])).astype(np.float32)
        mixed = share * real[first] + (1 - share) * real[second] + noise
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        end = min(start + _BLOCK, chunks)
        out[start:end] = mixed[: end - start]
    # What halfvec stores, so that every engine compares the same numbers.
    return out.astype(np.float16).astype(np.float32)


def _base_texts() -> list[str]:
    every = documents()
    step = max(1, len(every) // _BASE)
    return [" ".join(text.split()[:_WORDS]) for text in every[::step][:_BASE]]


def _kept(name: str, make: Callable[[], Matrix]) -> Matrix:
    path = cache() / f"{name}.npy"
    if not path.exists():
        print(f"embedding the {name} of scale data, once in this folder", flush=True)  # noqa: T201 - the bench talks to a terminal
        np.save(path, make())
    return np.load(path)
