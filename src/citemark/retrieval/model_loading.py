"""What callers are told if a model cannot be loaded: they may be on other machines, which paths here do not concern."""

from collections.abc import Generator
from contextlib import contextmanager

import structlog

from citemark.embedding.model_files import DamagedModel
from citemark.model.errors import BackendUnavailable

_log = structlog.get_logger(__name__)


@contextmanager
def model_loaded() -> Generator[None]:
    """Log why a model cannot be loaded, and tell the caller only that it cannot.

    Raises:
        BackendUnavailable: a file of the model is missing, unreadable or not the one that was shipped.
    """
    try:
        yield
    except (OSError, DamagedModel) as error:
        _log.warning("model_not_loaded", reason=str(error), action="search")
        raise BackendUnavailable("The embedding model cannot be loaded; `citemark doctor` says why.") from None
