"""search and fetch: what ChatGPT's connectors and deep research call, in the shapes that they document."""

from citemark.tools.connector.fetch_tool import FETCH
from citemark.tools.connector.search_tool import CONNECTOR_SEARCH
from citemark.tools.registry import Tool

CONNECTOR_TOOLS: tuple[Tool, ...] = (CONNECTOR_SEARCH, FETCH)
