"""The settings that determine a provider's vector space, all except the key; an embedding set stores them."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Literal, cast, get_args

from citemark.model.errors import ConfigurationError
from citemark.remote.addresses import checked_key, checked_url, exposes_key, is_local, origin_of, with_version
from citemark.settings import Settings
from citemark.settings_names import borrowed_key

ProviderKind = Literal["openai", "azure", "cohere"]

_URLS: Mapping[ProviderKind, str] = {"openai": "https://api.openai.com/v1", "cohere": "https://api.cohere.com"}
_MODELS: Mapping[ProviderKind, str] = {"openai": "text-embedding-3-small", "cohere": "embed-v4.0"}
_VERSION = "1"
"""Part of the fingerprint: raised when the same settings would make different vectors."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A provider's settings without its key.

    `dimensions` is the length to which the model is asked to shorten its vectors, or None for their own length.
    `revision` changes when the provider has put another model behind the same name.
    """

    provider: ProviderKind
    model: str
    url: str
    dimensions: int | None = None
    query_prefix: str = ""
    document_prefix: str = ""
    revision: str = ""

    @property
    def fingerprint(self) -> str:
        """Equal for equal vector spaces; includes the address only where a model's name means nothing without it."""
        server = self.origin if self.provider == "azure" else ""
        parts = [_VERSION, self.provider, server, self.model, self.dimensions]
        parts += [self.query_prefix, self.document_prefix, self.revision]
        return blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()

    @property
    def origin(self) -> str:
        """Scheme, host and port: the server that a key is for, and all of the address that a message may name."""
        return origin_of(self.url)

    @property
    def local(self) -> bool:
        """True when the provider runs on this machine."""
        return is_local(self.url)

    @property
    def exposes_key(self) -> bool:
        """True when texts and key cross a network unencrypted."""
        return exposes_key(self.url)

    def as_dict(self) -> dict[str, Any]:
        """The recipe as a dict for JSON."""
        return asdict(self)


def recipe_from(data: Mapping[str, Any]) -> Recipe | None:
    """The recipe that a set stores, or None if there is none or this version does not understand it."""
    try:
        recipe = Recipe(**data)
    except TypeError:
        return None
    return recipe if recipe.provider in get_args(ProviderKind) else None


def recipe_of(settings: Settings) -> Recipe | None:
    """The recipe of the configured provider, or None for a model on this machine.

    Raises:
        ConfigurationError: a setting that the provider needs is missing or malformed.
    """
    if settings.embedding_provider not in get_args(ProviderKind):
        return None
    provider = cast("ProviderKind", settings.embedding_provider)
    url = _url(provider, settings.embedding_url)
    model = settings.embedding_model or (_MODELS.get(provider) if url == _URLS.get(provider) else None)
    if not model:
        what = "the name of your deployment" if provider == "azure" else f"the model to ask {origin_of(url)} for"
        raise ConfigurationError(f"embedding_model is missing: set it to {what}.")
    prefixes = prefixes_of(model) if provider == "openai" else prefixes_of("")
    query, document = settings.embedding_query_prefix, settings.embedding_document_prefix
    return Recipe(
        provider=provider,
        model=model,
        url=url,
        dimensions=settings.embedding_dimensions,
        query_prefix=prefixes.query if query is None else query,
        document_prefix=prefixes.document if document is None else document,
        revision=settings.embedding_revision,
    )


def key_for(recipe: Recipe, settings: Settings) -> str | None:
    """The key for a recipe: from the settings if they name the same provider and host, else from the environment.

    A key is never sent to a host that it was not given for.

    Raises:
        ConfigurationError: the key cannot be sent.
    """
    configured = recipe_of(settings)
    same = configured is not None and (configured.provider, configured.origin) == (recipe.provider, recipe.origin)
    if same and settings.embedding_api_key is not None:
        return checked_key(settings.embedding_api_key.get_secret_value(), "embedding_api_key")
    borrowed = borrowed_key(recipe.provider, recipe.url)
    return None if borrowed is None else checked_key(borrowed, f"The environment's key for {recipe.provider}")


def _url(provider: ProviderKind, configured: str | None) -> str:
    url = (configured or _URLS.get(provider) or "").strip().rstrip("/")
    if not url:
        raise ConfigurationError(
            "embedding_url is missing: set it to the endpoint of your Azure OpenAI resource, such as "
            "https://NAME.openai.azure.com."
        )
    url = checked_url(url, "embedding_url", "embedding_api_key")
    url = url.removesuffix("/embeddings") if provider == "openai" else url.removesuffix("/v2/embed")
    if provider == "azure":
        return origin_of(url)
    return with_version(url) if provider == "openai" else url


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model expects before a question and before a document."""

    query: str = ""
    document: str = ""


_INSTRUCTED = "instruct"


_FAMILIES = (
    (("multilingual-e5", "e5-small", "e5-base", "e5-large"), Prefixes("query: ", "passage: ")),
    (("nomic-embed-text",), Prefixes("search_query: ", "search_document: ")),
    (
        ("mxbai-embed-large", "bge-small-en", "bge-base-en", "bge-large-en", "snowflake-arctic-embed"),
        Prefixes("Represent this sentence for searching relevant passages: "),
    ),
)


def prefixes_of(model: str) -> Prefixes:
    """The prefixes that the makers of a model specify; empty for a model that is not known to need any.

    Models that were trained with prefixes are much worse without them.

    A model that takes a free-form instruction gets no prefix: only its user knows the task.
    """
    name = model.lower()
    if _INSTRUCTED in name:
        return Prefixes()
    return next((prefixes for families, prefixes in _FAMILIES if any(part in name for part in families)), Prefixes())
