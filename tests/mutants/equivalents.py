"""Mutants that no test can kill, since what they change makes no difference that anybody could see; each with why."""

from collections.abc import Mapping
from types import MappingProxyType

EQUIVALENTS: Mapping[str, str] = MappingProxyType(
    {
        "d2dabe3a8910": "The largest end is taken, and what `<=` adds is the end that is taken where there is none.",
    }
)
"""By the id that `make mutants` prints."""
