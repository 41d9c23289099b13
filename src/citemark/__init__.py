"""Citemark: cited, permitted, bounded, point-in-time retrieval for AI agents."""

__version__ = "0.1.0"
