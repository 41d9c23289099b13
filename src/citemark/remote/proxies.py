"""Proxies named in the environment, checked before use; messages never repeat them, as they may contain a password."""

import re
from urllib.parse import urlsplit
from urllib.request import getproxies

from citemark.model.errors import ConfigurationError

_SCHEMES = frozenset({"http", "https"})
_KINDS = ("http", "https", "all")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNPRINTABLE = re.compile(r"[^\x21-\x7e]")


def check_proxies() -> None:
    """Check that every proxy named in the environment is a usable address.

    Raises:
        ConfigurationError: one is not; the message names its variable and the fault, and repeats no part of it.
    """
    proxies = getproxies()
    for kind in _KINDS:
        fault = _fault_of(proxies[kind]) if kind in proxies else None
        if fault is not None:
            raise ConfigurationError(
                f"{kind.upper()}_PROXY is malformed: {fault}. It is http://USER:PASSWORD@HOST:PORT; its value is not "
                "shown because it may hold a password."
            )


def _fault_of(proxy: str) -> str | None:
    # Like the HTTP client, assume http if the proxy names no scheme.
    url = proxy if "://" in proxy else f"http://{proxy}"
    scheme, _, rest = url.partition("://")
    if scheme.lower() not in _SCHEMES:
        return "only proxies over http and https can be asked"
    if _UNPRINTABLE.search(rest):
        return "it holds white space, control characters or characters outside ASCII; write each as %XX"
    if _BROKEN_ESCAPE.search(rest.rpartition("@")[0]):
        return "it contains a % that is not part of an escape; write each % of a password as %25"
    if rest.count("@") > 1:
        return "it has more than one @; write each @ of a password as %40"
    if re.search(r"[/?#]", rest.rpartition("@")[0]):
        return "it has a /, ? or # before its @; write them in a password as %2F, %3F and %23"
    try:
        parts = urlsplit(url)
        valid = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    return None if valid else "its host or port cannot be read"
