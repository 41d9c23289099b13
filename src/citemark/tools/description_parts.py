"""Sentences that the descriptions of several tools share: hosts send them to a model with every request."""

NEXT_PAGE = "If you need more, pass next_cursor.\n"

IN_SCHEMA = "Defaults and caps: see schema."
"""The numbers stand there, each at its argument."""
