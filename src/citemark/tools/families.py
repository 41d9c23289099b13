"""Families of tools: what features contribute to the list of a server. Declaring one loads no tool's schema."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from citemark.settings import Settings
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.prompts import FilledPrompt
    from citemark.tools.registry import Tool

PAST = "past"
"""The group of an index with a baseline or a superseded revision, so that states can be compared."""


def _with_kb(settings: "Settings") -> bool:
    return settings.kb_v2_enabled


def always(_: "Settings") -> bool:
    """A family that no setting switches off."""
    return True


@dataclass(frozen=True, slots=True)
class ToolFamily:
    """Tools that are listed together.

    Attributes:
        load: the tools for an index with these groups; loads their modules.
        needs: the groups of tools without which none of them works.
        offered: whether the settings have them.
        prompts: loads the prompts that lead through them; each is listed if the tools that it needs are there.
    """

    load: "Callable[[ToolGroups], tuple[Tool, ...]]"
    needs: frozenset[str] = frozenset()
    offered: "Callable[[Settings], bool]" = _with_kb
    prompts: "Callable[[], Sequence[FilledPrompt]]" = tuple
