"""From passages to bounded text: spans, previews, excerpts, quotes, budgets."""
