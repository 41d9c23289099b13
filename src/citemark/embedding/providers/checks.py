"""From a provider's numbers to unit vectors, or to the reason why they are none."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from citemark.embedding.contract import Vectors

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
