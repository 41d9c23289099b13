"""The kb family: from a question to quotes, in steps of growing size."""

from citemark.tools.kb.answer import ANSWER
from citemark.tools.kb.evidence import EXTRACT_EVIDENCE, RETRIEVE_EVIDENCE
from citemark.tools.kb.excerpts import EXPAND_EXCERPT, READ_EXCERPT
from citemark.tools.kb.search import SEARCH
from citemark.tools.kb.sources import LIST_SOURCES
from citemark.tools.kb.verify import VERIFY_QUOTE
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
"""In the order in which a model should think of them."""

__all__ = ["ANSWER", "KB_TOOLS"]
