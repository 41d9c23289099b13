"""The embedding models of a process: the configured one, the bundled one, and those that filled existing sets."""

import asyncio
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
import structlog

from citemark.embedding.contract import Embedder, EmbeddingFailed, ProviderRefused, ProviderUnavailable
from citemark.embedding.cross_encoder import CrossEncoder
from citemark.embedding.document_graphs import documents_by
from citemark.embedding.graphs import return_memory
from citemark.embedding.local_model import LocalModel
from citemark.embedding.minilm import MiniLM
from citemark.embedding.providers.recipe import Recipe, key_for, recipe_from, recipe_of
from citemark.model.errors import CitemarkError
from citemark.model.vectors import EmbeddingSet, TooManyDimensions
from citemark.settings import Settings
from citemark.store.vectors import VectorStore

if TYPE_CHECKING:
    from citemark.embedding.multilingual import Multilingual
    from citemark.embedding.providers.remote_embedder import RemoteEmbedder
    from citemark.retrieval.reranking import Judge

_log = structlog.get_logger(__name__)
_SAME = 0.98
"""Cosine above which two vectors of the same text come from one model; providers round differently between machines."""

_REST = 30.0
"""Seconds before a provider that could not be reached is asked again, unless it named a time."""

_IDLE = 600.0
"""Seconds without use after which a graph of a model is dropped; loading it again takes a third of a second."""

_LONGEST_REST = 900.0
"""Seconds before a provider that refused is asked again; a person has to change something first."""


class OtherModel(ProviderRefused):
    """A provider answers under a known name with the vectors of another model."""

    def __init__(self, model: str) -> None:
        super().__init__(
            f"{model} now makes other vectors than those in the index. If another model was meant to take its place "
            "under the same name, change embedding_revision and sync to build its vectors again.",
            "other model",
        )


class EmbeddingModels:
    """Gives each embedding set its model. `bundled` is always available and loads on first use."""

    def __init__(self, settings: Settings, vectors: VectorStore, configured: Embedder) -> None:
        self._settings = settings
        self._vectors = vectors
        self._configured = configured
        self.bundled = configured if isinstance(configured, MiniLM) else bundled_model(settings)
        self._optional: Multilingual | None = None
        self._recorded: dict[str, RemoteEmbedder] = {}
        self._paused_until: dict[str, float] = {}
        self._cross_encoder: CrossEncoder | None = None

    def of(self, entry: EmbeddingSet) -> Embedder | None:
        """The model of a set, created from what the set recorded if the settings name another. Makes no requests.

        None if this version or this process cannot use the model. A provider that needs a key and gets none reports
        that itself.
        """
        for embedder in (self._configured, self.bundled):
            if embedder.fingerprint == entry.fingerprint:
                return embedder
        if not entry.origin.recipe:
            return self._installed(entry.fingerprint)
        recorded = self._recorded.get(entry.fingerprint)
        if recorded is None:
            recipe = recipe_from(entry.origin.recipe)
            if recipe is None or recipe.fingerprint != entry.fingerprint:
                return None
            recorded = self._recorded[entry.fingerprint] = _remote(recipe, self._settings)
        return recorded

    def _installed(self, fingerprint: str) -> "Multilingual | None":
        """The optional model, if it is installed and has this fingerprint: the settings named it at another time."""
        if self._optional is None:
            try:
                self._optional = _multilingual()
            except CitemarkError:
                return None
        return self._optional if self._optional.fingerprint == fingerprint else None

    def quoting(self) -> Embedder:
        """The bundled model: the weights of quotes were measured with its cosines, and it runs on this machine."""
        return self.bundled

    def judge(self) -> "Judge | None":
        """The optional cross-encoder, if the settings ask for it; loaded at first use.

        Raises:
            ConfigurationError: its package is not installed.
        """
        if not self._settings.cross_encoder:
            return None
        self._cross_encoder = self._cross_encoder or CrossEncoder.installed()
        return self._cross_encoder.logits

    def let_idle_go(self) -> bool:
        """Drop the graphs that nobody has used for ten minutes; returns whether memory was given back.

        A graph that is used again is loaded again.
        """
        local = self._local_models()
        held = (*local, self._cross_encoder)
        dropped = sum(model.let_go(_IDLE) for model in held if model is not None)
        if dropped:
            return_memory()
            _log.info("model_let_go", count=sum(model.graphs_opened for model in local), action="idle")
        return dropped > 0

    def _local_models(self) -> "list[LocalModel[Any]]":
        """The models whose files are installed, as far as this process has come to use them."""
        models = {id(model): model for model in (self.bundled, self._configured, self._optional)}
        return [model for model in models.values() if isinstance(model, LocalModel)]

    async def languages(self) -> tuple[str, ...]:
        """The languages that the active model was made for; empty if it reads all languages or is not known."""
        active = await self._vectors.active_cached()
        embedder = None if active is None else self.of(active)
        if embedder is None:
            return ()
        try:
            return (await asyncio.to_thread(lambda: embedder.identity)).languages
        except (EmbeddingFailed, OSError):
            return ()

    async def begin(self) -> EmbeddingSet:
        """The embedding set of the configured model, created if it does not exist.

        Raises:
            EmbeddingFailed: the provider cannot be asked.
            OtherModel: it is not the model that filled the set.
            TooManyDimensions: its vectors are too long for the index.
        """
        embedder = self._configured
        identity, origin = await asyncio.to_thread(lambda: (embedder.identity, embedder.origin))
        entry = await self._vectors.ensure(identity, origin)
        if entry.dimensions != identity.dimensions or not _alike(entry.origin.probe, origin.probe):
            raise OtherModel(identity.model)
        return entry

    async def targets(self) -> list[EmbeddingSet]:
        """The sets that this process can fill, the active one first, because it answers questions now."""
        sets = [entry for entry in await self._vectors.sets() if self.of(entry) is not None]
        return sorted(sets, key=lambda entry: not entry.active)

    async def waking_targets(self) -> list[EmbeddingSet]:
        """For a server: the sets whose model is not paused after a failure. The first set of an index is begun here."""
        configured = self._configured
        if not await self._vectors.sets() and not self._is_paused(configured.fingerprint):
            try:
                await self.begin()
            except (EmbeddingFailed, TooManyDimensions) as error:
                self._pause(configured.fingerprint, configured.model, error)
        return [entry for entry in await self.targets() if not self._is_paused(entry.fingerprint)]

    def failed(self, entry: EmbeddingSet, error: EmbeddingFailed) -> None:
        """Pause the model of a set for a while, because it could not be asked."""
        self._pause(entry.fingerprint, entry.model, error)

    def _pause(self, fingerprint: str, model: str, error: CitemarkError) -> None:
        temporary = isinstance(error, ProviderUnavailable)
        retry_after = error.retry_after if isinstance(error, ProviderUnavailable) else None
        seconds = min(_LONGEST_REST, max(retry_after or 0.0, _REST if temporary else _LONGEST_REST))
        self._paused_until[fingerprint] = monotonic() + seconds
        reason = error.summary if isinstance(error, EmbeddingFailed) else type(error).__name__
        _log.warning("model_unavailable", model=model, reason=reason, seconds=round(seconds), action="embed")

    def _is_paused(self, fingerprint: str) -> bool:
        return monotonic() < self._paused_until.get(fingerprint, 0.0)

    def close(self) -> None:
        """Close the connections to providers, and stop what installed models are doing."""
        embedders = (self._configured, *self._local_models(), *self._recorded.values())
        for embedder in {id(embedder): embedder for embedder in embedders}.values():
            end = getattr(embedder, "close", None)
            if end is not None:
                end()


def configured_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name.

    Raises:
        ConfigurationError: a setting that the provider needs is missing or malformed, or the chosen runtime or package
            is not installed.
    """
    if settings.embedding_provider == "multilingual":
        return _multilingual()
    recipe = recipe_of(settings)
    return bundled_model(settings) if recipe is None else _remote(recipe, settings)


def bundled_model(settings: Settings) -> MiniLM:
    """The bundled model, its documents by the runtime that the settings name.

    Raises:
        ConfigurationError: the runtime is not installed.
    """
    return MiniLM(documents=documents_by(settings.embedding_runtime))


def _multilingual() -> "Multilingual":
    # Imported here: a process whose settings and vectors do not name it loads nothing of it.
    model: type[Multilingual] = import_module("citemark.embedding.multilingual").Multilingual
    return model.installed()


def _remote(recipe: Recipe, settings: Settings) -> "RemoteEmbedder":
    # Imported here, so that a process with the bundled model alone never loads an HTTP client.
    remote: type[RemoteEmbedder] = import_module("citemark.embedding.providers.remote_embedder").RemoteEmbedder
    return remote(
        recipe,
        key_for(recipe, settings),
        timeout=settings.embedding_timeout,
        most_at_once=settings.embedding_parallel,
        most_texts=settings.embedding_batch_size,
    )


def _alike(recorded: tuple[float, ...], current: tuple[float, ...]) -> bool:
    return recorded == current or (len(recorded) == len(current) and float(np.dot(recorded, current)) >= _SAME)
