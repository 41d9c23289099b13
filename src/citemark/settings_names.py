"""Names of settings: those that other programs use for the same thing, and mistyped ones.

A mistyped name would otherwise be ignored silently.
"""

import os
import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from pydantic.fields import FieldInfo
from pydantic_settings import PydanticBaseSettingsSource

_PROVIDER = "EMBEDDING_PROVIDER"
_AZURE_ENDPOINT = "AZURE_OPENAI_ENDPOINT"
_AZURE_DEPLOYMENT = "AZURE_OPENAI_EMBEDDING_DEPLOYMENT"
_KEYS: Mapping[str, tuple[str, ...]] = {
    "openai": ("OPENAI_API_KEY",),
    "azure": ("AZURE_OPENAI_KEY", "AZURE_OPENAI_API_KEY"),
    "cohere": ("CO_API_KEY", "COHERE_API_KEY"),
}
_HOSTS: Mapping[str, str] = {"openai": "api.openai.com", "cohere": "api.cohere.com"}


def borrowed_key(provider: str, url: str | None) -> str | None:
    """The environment's key for a provider; None without one, or if `url` names another host than the key's."""
    host = _HOSTS.get(provider) or _host(os.environ.get(_AZURE_ENDPOINT))
    return _key_of(provider) if url is None or (host is not None and _host(url) == host) else None


def _key_of(provider: str) -> str | None:
    return next((value for name in _KEYS.get(provider, ()) if (value := os.environ.get(name))), None)


class BorrowedNames(PydanticBaseSettingsSource):
    """The last source of the settings: which names count depends on the provider that the other sources chose."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        """Not used: `__call__` returns all fields together."""
        _ = field
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        """The settings that the environment has under other names."""
        state = self.current_state
        values: dict[str, Any] = {}
        if "embedding_provider" not in state and os.environ.get(_PROVIDER):
            values["embedding_provider"] = os.environ[_PROVIDER]
        provider = str(state.get("embedding_provider") or values.get("embedding_provider") or "").lower()
        if provider == "azure":
            for key, name in (("embedding_url", _AZURE_ENDPOINT), ("embedding_model", _AZURE_DEPLOYMENT)):
                if key not in state and os.environ.get(name):
                    values[key] = os.environ[name]
        url = state.get("embedding_url") or values.get("embedding_url")
        key = borrowed_key(provider, None if url is None else str(url))
        if provider == "azure" and not os.environ.get(_AZURE_ENDPOINT):
            key = _key_of(provider)  # only the settings say which server the key is for
        if key is not None and "embedding_api_key" not in state:
            values["embedding_api_key"] = key
        return values


def _host(url: str | None) -> str | None:
    try:
        return urlsplit(url).hostname if url else None
    except ValueError:
        return None


PREFIX = "CITEMARK_"

_READ_ELSEWHERE = frozenset(
    {
        "CITEMARK_APP_PASSWORD",
        "CITEMARK_BENCH_DIR",
        "CITEMARK_CROSSENCODER_UPSTREAM_WHEEL",
        "CITEMARK_MINILM_UPSTREAM_WHEEL",
        "CITEMARK_MULTILINGUAL_UPSTREAM_WHEEL",
        "CITEMARK_SOAK",
        "CITEMARK_TEST_DSN",
    }
)
"""Variables that commands, tests, the bench and the builds of the models' wheels read."""

_OF_A_CLUSTER = re.compile(r"CITEMARK_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)?)")
"""Variables that Kubernetes sets in every container beside a service called citemark."""


def unknown_setting(name: str, fields: Collection[str], where: str = "citemark.toml") -> str:
    """The message about an unknown key, with the nearest setting."""
    near = get_close_matches(name.lower(), fields, 1)
    hint = f"did you mean {near[0]}?" if near else "docs/getting-started.md lists the settings."
    return f"{where} has no setting {name!r}; {hint}"


def unknown_variables(environ: Mapping[str, str], fields: Collection[str]) -> list[str]:
    """A message about each variable with Citemark's prefix that nothing reads, sorted by name."""
    known = {PREFIX + field.upper() for field in fields}
    messages: list[str] = []
    for name in sorted(environ):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper in known | _READ_ELSEWHERE or _OF_A_CLUSTER.fullmatch(upper):
            continue
        near = get_close_matches(upper, known, 1)
        hint = f"did you mean {near[0]}?" if near else "docs/getting-started.md lists the settings."
        messages.append(f"no setting is called {name}; {hint}")
    return messages
