"""The nc family: a person's Nextcloud, searched and kept in step."""

from citemark.tools.nc.answer import NC_ANSWER
from citemark.tools.nc.search import SEMANTIC_SEARCH
from citemark.tools.nc.syncing import DISABLE_SYNC, ENABLE_SYNC, SYNC_STATUS
from citemark.tools.registry import Tool

NC_TOOLS: tuple[Tool, ...] = (SEMANTIC_SEARCH, SYNC_STATUS, ENABLE_SYNC, DISABLE_SYNC)
"""In the order in which a model should think of them."""

__all__ = ["NC_ANSWER", "NC_TOOLS"]
