"""Says of indexed pages whether they are there, readable and unchanged."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from citemark.model.documents import DocumentRef, Verdict
from citemark.sources.contract import Verdicts
from citemark.sources.docs.files import OutsideRoot, is_file, real_path, version_of
from citemark.sources.docs.settings import DocsSettings

_EFFECTIVE = os.access in os.supports_effective_ids


class DocsVerifier:
    """A stat per page, in a thread; one that hangs holds up none before it."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """A verdict for each ref; UNKNOWN while the folder itself is missing, as with a drive not mounted."""
        for ref in refs:
            yield ref, await asyncio.to_thread(self._verdict, ref)

    def _verdict(self, ref: DocumentRef) -> Verdict:
        root = os.path.realpath(self._settings.root)
        if not Path(root).is_dir():
            return Verdict.UNKNOWN
        try:
            real = real_path(root, ref.native_id)
            info = Path(real).lstat()
        except (OutsideRoot, FileNotFoundError, NotADirectoryError):
            return Verdict.GONE
        except OSError:
            return Verdict.UNKNOWN
        if not is_file(info) or info.st_size > self._settings.max_file_bytes or not self._settings.takes(ref.native_id):
            return Verdict.GONE
        if not os.access(real, os.R_OK, effective_ids=_EFFECTIVE):
            return Verdict.UNKNOWN
        return Verdict.OK if version_of(info) == ref.version else Verdict.CHANGED
