"""The version of everything between a document's bytes and the rows of its text."""

TEXT_VERSION = 3
"""Raise it by one with every change of extraction, cutting or analysis that makes other text, spans or words of the
same bytes. Pages of an older version are then read again, after whatever waits, while search goes on over the old ones.
"""
