"""The plainest sync over the apps of an account: what is listed anew is read, what is no longer listed is dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.nextcloud.deeds.marks import marks_in
from tests.nextcloud.truth import Key

from citemark.model.documents import DocumentRef, Listed, ScanEnd, Verdict
from citemark.model.errors import FatalSourceError, RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.sources.nextcloud.apps import App


@dataclass(frozen=True, slots=True)
class Held:
    """A document as it was read: its version then, and its text (None: it could not be read)."""

    version: Version
    text: str | None


class Following:
    """One account's documents, kept by scans of its apps."""

    def __init__(self, apps: Sequence[App]) -> None:
        self._apps = apps
        self.held: dict[Key, Held] = {}

    async def scan(self, names: frozenset[str] | None = None) -> None:
        """One round over all apps, or over those of these names; what fails stays as it was."""
        for app in self._apps:
            if names is not None and app.name not in names:
                continue
            listed: dict[Key, Version] = {}
            end = ScanEnd(complete=False)
            try:
                async for entry in app.scanner.scan():
                    if isinstance(entry, Listed):
                        listed[Key(entry.doc_type, entry.native_id)] = entry.version
                    elif isinstance(entry, ScanEnd):
                        end = entry
            except (RetriableSourceError, FatalSourceError):
                continue
            await self._read(app, listed)
            if end.complete:
                here = app.doc_types - end.unlisted
                self.held = {key: one for key, one in self.held.items() if key.doc_type not in here or key in listed}

    async def _read(self, app: App, listed: Mapping[Key, Version]) -> None:
        for key, version in listed.items():
            known = self.held.get(key)
            if known is not None and known.version == version:
                continue
            try:
                fetched = await app.processor.fetch(key.doc_type, NativeId(key.native_id))
            except RetriableSourceError:
                continue
            except SkippableSourceError:
                self.held[key] = Held(version, None)
                continue
            if fetched is None:
                self.held.pop(key, None)
            else:
                self.held[key] = Held(fetched.version, f"{fetched.extracted.title}\n{fetched.extracted.body}")

    async def answer(self, question: str) -> list[str]:
        """The texts that hold a word and that the server vouches for now."""
        shown: list[str] = []
        for app in self._apps:
            refs = {
                DocumentRef(key.doc_type, NativeId(key.native_id), one.version): one.text
                for key, one in self.held.items()
                if key.doc_type in app.doc_types and one.text is not None and question in one.text
            }
            verdicts = await app.verifier.verify(list(refs))
            shown += [text or "" for ref, text in refs.items() if verdicts.get(ref) is Verdict.OK]
        return shown

    def marks(self) -> dict[Key, frozenset[str]]:
        """What is held, by the marks in it."""
        return {key: marks_in(one.text) for key, one in self.held.items() if one.text is not None}
