"""Base addresses and keys of providers, as given in the settings."""

from urllib.parse import urlsplit

from citemark.model.errors import ConfigurationError

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def origin_of(url: str) -> str:
    """Return scheme, host and port of a URL: what a key is valid for, and what messages may show."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def is_local(url: str) -> bool:
    """Tell whether a provider runs on this machine."""
    return urlsplit(url).hostname in _LOOPBACK


def exposes_key(url: str) -> bool:
    """Tell whether texts and the key would cross a network unencrypted."""
    return urlsplit(url).scheme != "https" and not is_local(url)


def checked_url(url: str, setting: str, key_setting: str) -> str:
    """Check a base address and return it unchanged.

    Raises:
        ConfigurationError: it is malformed; the message names the setting and what it takes.
    """
    try:
        parts = urlsplit(url)
        well_formed = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port)
    except ValueError:
        well_formed, parts = False, urlsplit("")
    if not well_formed or parts.query or parts.fragment or "@" in parts.netloc:
        raise ConfigurationError(
            f"{setting} must be http(s)://HOST[:PORT][/PATH] without a user name, a query or a fragment; the key "
            f"goes into {key_setting}."
        )
    return url


def checked_key(key: str, setting: str) -> str:
    """Check that a header can carry a key, and return it without surrounding white space.

    Raises:
        ConfigurationError: it cannot be sent; the message names the setting and repeats no part of the key.
    """
    bare = key.strip()
    if not bare or not bare.isascii() or not bare.isprintable() or " " in bare:
        raise ConfigurationError(
            f"{setting} is empty, or holds white space, control characters or characters outside ASCII, which no "
            "request can carry: copy the key again."
        )
    return bare


def with_version(url: str) -> str:
    """Return the base address of a server's OpenAI-compatible API; an address without a path gets /v1."""
    return f"{url}/v1" if not urlsplit(url).path else url
