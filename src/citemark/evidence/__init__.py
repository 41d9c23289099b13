"""Passages to bounded text: spans, previews, excerpts, quotes, budgets."""
