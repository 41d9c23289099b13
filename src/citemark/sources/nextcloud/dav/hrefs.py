"""Addresses of WebDAV resources: one spelling for each path."""

from urllib.parse import quote, unquote, urlsplit

from citemark.model.errors import RetriableSourceError

_PLAIN = "~!$&'()*+,;=:@"
_LONGEST_SHOWN = 200


def canonical(href: str) -> str:
    """The path of an address, each part percent-encoded in one way: servers differ in what they encode, and how.

    Raises:
        RetriableSourceError: the server wrote what is no address.
    """
    path = path_of(href) if "://" in href else href.partition("?")[0].partition("#")[0]
    return "/".join(quote(unquote(part), safe=_PLAIN) for part in path.split("/"))


def path_of(href: str) -> str:
    """The path of an address, encoded as it is written.

    Raises:
        RetriableSourceError: it is no address.
    """
    try:
        return urlsplit(href).path
    except ValueError:
        raise RetriableSourceError(f"The server names {href[:_LONGEST_SHOWN]!r}, which is no address.") from None


def name_of(href: str) -> str:
    """The decoded last part of a path."""
    return unquote(href.rstrip("/").rpartition("/")[2])


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def base_path(url: str) -> str:
    """The path below which a server lives, "" where it has a host of its own."""
    return urlsplit(url).path.rstrip("/")
