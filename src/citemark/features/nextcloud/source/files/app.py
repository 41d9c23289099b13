"""Files as an app of an account: processor, verifier, and the app that joins them with the scanner."""

import posixpath
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import quote, unquote

from citemark.extraction.dispatch import read_file
from citemark.extraction.markdown.link_scanner import is_wiki_link, wiki_words
from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.client import Client
from citemark.features.nextcloud.source.file_entries import FILE, FileEntry, FilePath
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.features.nextcloud.source.files.api import FilesApi
from citemark.features.nextcloud.source.files.locator import FileLocator, PathCache
from citemark.features.nextcloud.source.files.scanner import FilesScanner, FolderCache
from citemark.features.nextcloud.source.links import link_target, url_of_file
from citemark.features.nextcloud.source.webdav import WebDav
from citemark.model.documents import DocumentRef, Fetched, Verdict
from citemark.model.errors import RetriableSourceError, SkippableSourceError, SourceError
from citemark.model.ids import NativeId
from citemark.model.text import Extracted
from citemark.sources.contract import ScanState, Verdicts
from citemark.sources.relationships import LinkTarget, stated_links
from citemark.sources.streams import completed

_AGAIN = 2.0
"""Seconds after which a file that changed while it was read is fetched again."""

_LONGEST_PATH = 2_000
"""Bytes of a path that is resolved; Nextcloud stores up to 4,000, and web servers refuse addresses beyond 8,000."""


class FilesProcessor:
    """Fetches a file with one request if it is unchanged where the last scan saw it; otherwise finds it first."""

    def __init__(
        self,
        server: str,
        api: FilesApi,
        rules: FileRules,
        locator: FileLocator,
        parsers: ParserPool,
    ) -> None:
        self._server = server
        self._api = api
        self._rules = rules
        self._locator = locator
        self._parsers = parsers

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        """Fetch a file; None when it is gone, not visible to this account any more, or excluded by the rules.

        Raises:
            SkippableSourceError: it is too large, binary, damaged, locked, without text, or may not be downloaded.
            RetriableSourceError: it changed while it was read, or the server does not answer now.
            FatalSourceError: the account cannot be used any more.
        """
        entry = self._locator.last_seen(native_id)
        data = None
        if entry is not None:
            # A file that is longer than listed, or forbidden there, may have changed; it is looked up again below.
            with suppress(SkippableSourceError):
                data = await self._api.download(entry, self._rules.max_bytes)
        if entry is None or data is None:
            entry = await self._locator.refresh(native_id)
            if entry is None:
                return None
            data = await self._api.download(entry, self._rules.max_bytes)
        if data is None:
            raise RetriableSourceError("The file changed while it was read.", retry_after=_AGAIN)
        extracted = await read_file(entry.path, data, self._parsers, ocr=self._rules.ocr)
        targets = await self._targets(entry, extracted)
        return Fetched(
            doc_type=doc_type,
            native_id=native_id,
            version=entry.version,
            modified_at=entry.modified,
            url=url_of_file(self._server, native_id),
            extracted=extracted,
            relationships=stated_links(extracted, targets.__getitem__),
            metadata=_metadata(entry),
            labels=tuple(entry.tags),
        )

    async def _targets(self, entry: FileEntry, extracted: Extracted) -> Mapping[str, LinkTarget]:
        """Resolve each link: an address, or a path relative to the file's folder, as Nextcloud's editor writes it."""
        targets = {link.target: link_target(self._server, link.target) for link in extracted.links}
        for href in filter(is_wiki_link, targets):
            name = wiki_words(href).partition("#")[0].strip()
            found = self._locator.id_named(name, entry.path) if name else None
            targets[href] = LinkTarget(found, doc_type=FILE) if found is not None else LinkTarget()
        unresolved = (href for href, named in targets.items() if named == LinkTarget())
        paths = {href: path for href in unresolved if (path := _path(entry, href)) is not None}
        ids = await self._locator.ids_at(set(paths.values()))
        for href, path in paths.items():
            if path in ids:
                targets[href] = LinkTarget(ids[path], doc_type=FILE)
        return targets


def _path(entry: FileEntry, href: str) -> FilePath | None:
    """Return the path that a link names; None for one that names none, or one outside the account's root.

    A wikilink that names no file which was listed is taken as a path from the folder of the file.
    """
    if is_wiki_link(href):
        name = wiki_words(href).partition("#")[0].strip()
        href = quote(name if not name or posixpath.splitext(name)[1] else f"{name}.md")
    path = unquote(href.partition("#")[0].partition("?")[0])
    if not path or ":" in path.partition("/")[0]:
        return None
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), path)).strip("/")
    outside = joined in {"", ".", ".."} or joined.startswith("../") or "\0" in joined
    too_long = len(joined.encode("utf-8", "surrogatepass")) > _LONGEST_PATH
    return None if outside or too_long else FilePath(joined)


def _metadata(entry: FileEntry) -> Mapping[str, str]:
    known = {
        "Path": entry.path,
        "Type": entry.content_type,
        "Tags": "\n".join(entry.tags),
        "Owner": entry.shared_by or "",
    }
    return {key: value for key, value in known.items() if value}


class FilesVerifier:
    """Checks files with a request each, concurrently: at the path where the scan saw it, or at one found by its id.

    Only a path vouches for a file: what a path refuses is not shown because a search by id still finds it there.
    """

    def __init__(self, api: FilesApi, locator: FileLocator) -> None:
        self._api = api
        self._locator = locator

    def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        """Yield a verdict for each ref; a file that was moved is found by its id and counts as changed."""
        files: dict[NativeId, list[DocumentRef]] = defaultdict(list)
        for ref in refs:
            files[ref.native_id].append(ref)
        return completed(self._verdicts(file_id, file_refs) for file_id, file_refs in files.items())

    async def _verdicts(self, file_id: NativeId, refs: Sequence[DocumentRef]) -> list[tuple[DocumentRef, Verdict]]:
        now = await self._now(file_id)
        return [(ref, self._verdict(ref, now)) for ref in refs]

    async def _now(self, file_id: NativeId) -> FileEntry | Verdict:
        try:
            known = self._locator.last_seen(file_id)
            if known is not None:
                entry = await self._api.entry_at(known.path)
                if entry is not None and entry.file_id == file_id:
                    return entry if self._locator.within_rules(entry) else Verdict.GONE
            refused = known.path if known else None
            return await self._locator.find(file_id, refused=refused) or Verdict.GONE
        except SourceError:
            return Verdict.UNKNOWN

    def _verdict(self, ref: DocumentRef, now: FileEntry | Verdict) -> Verdict:
        if isinstance(now, Verdict):
            return now
        if ref.version == now.version:
            return Verdict.OK
        return Verdict.GONE if self._locator.too_large(now) else Verdict.CHANGED


def files_app(client: Client, account: Account, scan_state: ScanState, parsers: ParserPool) -> AccountApp:
    """Build the app for the files that the account's rules take."""
    rules = account.files
    api, path_cache = FilesApi(WebDav(client, parsers, account.limits), account.user), PathCache()
    locator = FileLocator(api, rules, path_cache)
    return AccountApp(
        name="files",
        doc_types=frozenset({FILE}),
        scanner=FilesScanner(api, rules, FolderCache(scan_state), path_cache, account.limits),
        processor=FilesProcessor(account.server, api, rules, locator, parsers),
        verifier=FilesVerifier(api, locator),
    )
