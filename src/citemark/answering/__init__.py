"""Answers with checked citations, over what the desk finds."""
