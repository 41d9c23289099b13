"""The optional model of the package citemark-multilingual, which reads a hundred languages."""

from collections.abc import Callable
from importlib import import_module
from time import monotonic
from typing import Any, Self

from citemark.embedding.local_model import LocalModel
from citemark.embedding.model_files import ModelFiles
from citemark.embedding.unigram import Unigram
from citemark.model.errors import ConfigurationError


class Multilingual(LocalModel[Unigram]):
    """multilingual-e5-small; its documents run on onnxruntime alone, whatever runs those of the bundled model."""

    def __init__(self, files: ModelFiles, threads: int = 0, seconds: Callable[[], float] = monotonic) -> None:
        """Read the manifest.

        Raises:
            DamagedModel: a file is missing or of the wrong size.
        """
        super().__init__(files, Unigram, threads, seconds)

    @classmethod
    def installed(cls) -> Self:
        """The model of the installed package.

        Raises:
            ConfigurationError: the package is not installed.
            DamagedModel: a file is missing or of the wrong size.
        """
        try:
            package: Any = import_module("citemark_multilingual")
        except ModuleNotFoundError:
            raise ConfigurationError(
                "embedding_provider is multilingual, and its model is not installed: install citemark[multilingual], "
                "or leave embedding_provider out."
            ) from None
        return cls(package.files())
