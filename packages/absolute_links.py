"""Relative links of a Markdown text, made absolute."""

import re

_RELATIVE_LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s]+)\)")


def with_absolute_links(text: str, repository: str) -> str:
    """The text with each relative link leading to the main branch of the repository at that address."""
    return _RELATIVE_LINK.sub(lambda link: f"]({repository}/blob/main/{link[1]})", text)
