"""The kb group: from a question to quotes, in steps of increasing size."""

from citemark.tools.kb.evidence_tools import EXTRACT_EVIDENCE, RETRIEVE_EVIDENCE
from citemark.tools.kb.excerpt_tools import EXPAND_EXCERPT, READ_EXCERPT
from citemark.tools.kb.list_sources_tool import LIST_SOURCES
from citemark.tools.kb.search_tool import SEARCH
from citemark.tools.kb.verify_quote_tool import VERIFY_QUOTE
from citemark.tools.registry import Tool

KB_TOOLS: tuple[Tool, ...] = (
    RETRIEVE_EVIDENCE,
    SEARCH,
    READ_EXCERPT,
    EXPAND_EXCERPT,
    EXTRACT_EVIDENCE,
    VERIFY_QUOTE,
    LIST_SOURCES,
)
"""In the order in which a model should consider them."""
