"""Tests that are marked `slow` are left to `make soak`: they repeat with more inputs what quicker ones hold."""

from typing import Any

import pytest


def quick_first(*values: Any, quick: int = 1) -> list[Any]:
    """Inputs of a test, of which all but the first `quick` ones are marked as slow."""
    return [pytest.param(value, marks=[pytest.mark.slow] * (number >= quick)) for number, value in enumerate(values)]
