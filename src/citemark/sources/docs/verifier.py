"""Vouches for files: a stat and the right to read, now."""

import asyncio
import os
from collections.abc import Mapping, Sequence

from citemark.model.documents import DocumentRef, Verdict
from citemark.sources.docs.places import inside, version_of
from citemark.sources.docs.settings import DocsSettings


class DocsVerifier:
    """Looks at each file once per question."""

    def __init__(self, settings: DocsSettings) -> None:
        self._settings = settings

    async def verify(self, refs: Sequence[DocumentRef]) -> Mapping[DocumentRef, Verdict]:
        """OK at the same version, CHANGED at another, GONE when it is not there or not for us, else UNKNOWN."""
        return await asyncio.to_thread(lambda: {ref: self._verdict(ref) for ref in refs})

    def _verdict(self, ref: DocumentRef) -> Verdict:
        try:
            path = inside(self._settings.root, ref.native_id)
            if path is None or not self._settings.takes(ref.native_id):
                return Verdict.GONE
            status = path.stat()
            if not os.access(path, os.R_OK):
                return Verdict.GONE
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            # A root that is not there says nothing about its files: it may come back with the next mount.
            return Verdict.GONE if self._settings.root.is_dir() else Verdict.UNKNOWN
        except (OSError, ValueError):
            return Verdict.UNKNOWN
        return Verdict.OK if version_of(status) == ref.version else Verdict.CHANGED
