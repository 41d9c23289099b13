"""Citemark: cited, permitted, bounded retrieval for AI agents."""

__version__ = "0.1.0"
