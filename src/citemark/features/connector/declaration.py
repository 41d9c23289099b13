"""What the tools for connectors contribute."""

from typing import TYPE_CHECKING

from citemark.feature import Feature
from citemark.tools.families import ToolFamily

if TYPE_CHECKING:
    from citemark.settings import Settings
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.registry import Tool


def _tools(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.tools.connector import CONNECTOR_TOOLS

    return CONNECTOR_TOOLS


def _wanted(settings: "Settings") -> bool:
    return settings.connector_tools


CONNECTOR = Feature("connector", tools=(ToolFamily(_tools, offered=_wanted),))
