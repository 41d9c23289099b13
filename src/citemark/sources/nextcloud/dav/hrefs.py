"""Addresses of WebDAV resources: one spelling for each path."""

from urllib.parse import quote, unquote, urlsplit

_PLAIN = "~!$&'()*+,;=:@"


def canonical(href: str) -> str:
    """The path of an address, each part percent-encoded in one way: servers differ in what they encode, and how."""
    path = urlsplit(href).path if "://" in href else href.partition("?")[0].partition("#")[0]
    return "/".join(quote(unquote(part), safe=_PLAIN) for part in path.split("/"))


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
