"""Mutants that no test can kill, since what they change makes no difference that anybody could see; each with why."""

from collections.abc import Mapping
from types import MappingProxyType

EQUIVALENTS: Mapping[str, str] = MappingProxyType({})
"""By the id that `make mutants` prints."""
