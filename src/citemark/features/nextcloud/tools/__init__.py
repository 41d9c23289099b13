"""The nc group: a user's Nextcloud, searched and kept in sync."""

from citemark.features.nextcloud.tools.search_tool import SEMANTIC_SEARCH
from citemark.features.nextcloud.tools.sync_tools import DISABLE_SYNC, ENABLE_SYNC, SYNC_STATUS
from citemark.tools.registry import Tool

NC_TOOLS: tuple[Tool, ...] = (SEMANTIC_SEARCH, SYNC_STATUS, ENABLE_SYNC, DISABLE_SYNC)
"""In the order in which a model should consider them."""
