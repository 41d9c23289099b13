"""Where a browser goes once it is signed in: back to the page that it asked for, and nowhere else."""

from collections.abc import Container
from urllib.parse import urlsplit

HOME = "/search"

RETURN_PATH = "/signed_in"
"""Where browsers come back from an authorization server, which knows this address of ours."""

_MOST_CHARS = 1500
"""It is kept in a cookie, of which browsers keep 4,096 characters."""


def return_address(given: str, names: Container[str]) -> str:
    """The address if it is that of one of the pages with these names, and that of the search otherwise."""
    if len(given) > _MOST_CHARS or not given.startswith("/") or not given.isprintable() or not given.isascii():
        return HOME
    try:
        parts = urlsplit(given)
    except ValueError:
        return HOME
    if parts.netloc or parts.path.removeprefix("/") not in names:
        return HOME
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
