"""Answers with checked citations, over the documents that services find."""
