"""The plainest sync of an account: what is listed anew is read, what is no longer listed is dropped."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.nextcloud.actions.marks import marks_in
from tests.nextcloud.expected_state import Key
from tests.support.verdicts import verdicts_of

from citemark.model.documents import DocumentRef, Listed, ScanEnd, Verdict
from citemark.model.errors import FatalSourceError, RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.sources.contract import Connector


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as it was read: its version then, and its text (None: it could not be read)."""

    version: Version
    text: str | None


class NaiveSync:
    """One account's documents, kept by scans."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self.held: dict[Key, ReadDocument] = {}

    async def scan(self) -> None:
        """One round; whatever cannot be listed or read stays as it was."""
        listed: dict[Key, Version] = {}
        end = ScanEnd(complete=False)
        try:
            async for entry in self._connector.scanner.scan():
                if isinstance(entry, Listed):
                    listed[Key(entry.doc_type, entry.native_id)] = entry.version
                elif isinstance(entry, ScanEnd):
                    end = entry
        except (RetriableSourceError, FatalSourceError):
            return
        await self._read(listed)
        if end.complete:
            self.held = {key: one for key, one in self.held.items() if key in listed or key.doc_type in end.unlisted}

    async def _read(self, listed: Mapping[Key, Version]) -> None:
        for key, version in listed.items():
            known = self.held.get(key)
            if known is not None and known.version == version:
                continue
            try:
                fetched = await self._connector.processor.fetch(key.doc_type, NativeId(key.native_id))
            except (RetriableSourceError, FatalSourceError):
                continue
            except SkippableSourceError:
                self.held[key] = ReadDocument(version, None)
                continue
            if fetched is None:
                self.held.pop(key, None)
            else:
                self.held[key] = ReadDocument(fetched.version, f"{fetched.extracted.title}\n{fetched.extracted.body}")

    async def answer(self, question: str) -> list[str]:
        """The texts that hold a word and that the server vouches for now."""
        refs = {
            DocumentRef(key.doc_type, NativeId(key.native_id), one.version): one.text
            for key, one in self.held.items()
            if one.text is not None and question in one.text
        }
        verdicts = await verdicts_of(self._connector.verifier, list(refs))
        return [text for ref, text in refs.items() if verdicts.get(ref) is Verdict.OK]

    def marks(self) -> dict[Key, frozenset[str]]:
        """What is held, by the marks in it."""
        return {key: marks_in(one.text) for key, one in self.held.items() if one.text is not None}
