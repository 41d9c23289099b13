"""What callers are told if a model cannot be loaded: they may be on other machines, which paths here do not concern."""

import structlog

from citemark.embedding.model_files import DamagedModel
from citemark.model.errors import BackendUnavailable

_log = structlog.get_logger(__name__)

UNLOADABLE = (OSError, DamagedModel)
"""A file of a model is missing, unreadable or not the one that was shipped."""


def not_loaded(error: Exception) -> BackendUnavailable:
    """Log why a model cannot be loaded, and return the error that tells a caller only that it cannot."""
    _log.warning("model_not_loaded", reason=str(error), action="search")
    return BackendUnavailable("The embedding model cannot be loaded; `citemark doctor` says why.")
