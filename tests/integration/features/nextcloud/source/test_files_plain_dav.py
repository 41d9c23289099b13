"""Files against WsgiDAV: a WebDAV server that knows nothing of Nextcloud but what is written on its files."""

import os
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, cast
from urllib.parse import quote
from xml.sax.saxutils import escape

import httpx2
import pytest
import pytest_asyncio
from cheroot.wsgi import Server
from tests.contract.source_contract import Listing, listing
from tests.support.nextcloud_account import MemoryScanState, account_client
from tests.support.verdicts import verdicts_of
from wsgidav.fs_dav_provider import FilesystemProvider
from wsgidav.wsgidav_app import WsgiDAVApp

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.account import Account, AccountApp
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.features.nextcloud.source.files.app import files_app
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import RetriableSourceError
from citemark.model.ids import NativeId
from citemark.sources.contract import Connector

ROOT = "/remote.php/dav/files/alice"
NAMES = (
    "plain.md",
    "100% sure? #1.md",
    "a+b&c=d;e.md",
    "Bücher.md",
    "%41.md",
    "日本語.md",
    "تقرير.md",
    "q\"uo'te<t>.md",
)


@dataclass(frozen=True)
class Plain:
    """A running server over `folder`."""

    url: str
    folder: Path

    def write(self, path: str, text: str, number: int | None = None) -> Path:
        """A file, and the id that only a Nextcloud would give it."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        if number is not None:
            prop = f'<x:fileid xmlns:x="http://owncloud.org/ns">{escape(str(number))}</x:fileid>'
            body = f'<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop>{prop}</D:prop></D:set></D:propertyupdate>'
            url = f"{self.url}{ROOT}/{quote(path)}"
            answer = httpx2.request("PROPPATCH", url, content=body.encode(), auth=("alice", "secret"))
            assert answer.status_code == 207
        return file


@pytest.fixture
def plain(tmp_path: Path) -> Generator[Plain, None, None]:
    app = WsgiDAVApp(
        {
            "provider_mapping": {ROOT: FilesystemProvider(str(tmp_path))},
            "simple_dc": {"user_mapping": {"*": {user: {"password": "secret"} for user in ("alice", "bob")}}},
            "http_authenticator": {"accept_basic": True, "accept_digest": False, "default_to_digest": False},
            "property_manager": True,
            "verbose": 0,
            "logging": {"enable": False},
        }
    )

    def with_capabilities(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """What a Nextcloud without an app for notes says of itself; all else is WsgiDAV's."""
        if environ["PATH_INFO"].startswith("/ocs/"):
            start("200 OK", [("Content-Type", "application/json")])
            return [b'{"ocs": {"data": {"capabilities": {"core": {}}}}}']
        return cast("Iterable[bytes]", app(environ, start))

    server = Server(("127.0.0.1", 0), with_capabilities, numthreads=4)
    server.prepare()
    port: int = server.bind_addr[1]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    thread = Thread(target=server.serve, daemon=True)
    thread.start()
    yield Plain(f"http://127.0.0.1:{port}", tmp_path)
    server.stop()
    thread.join(10)


@pytest_asyncio.fixture
async def app(plain: Plain) -> AsyncGenerator[AccountApp, None]:
    transport, parsers = account_client(plain.url, "alice", "secret"), ParserPool()
    yield files_app(transport, Account(plain.url, "alice", "alice", FileRules()), MemoryScanState(), parsers)
    await transport.close()
    await parsers.close()


async def scan(app: AccountApp) -> Listing:
    return await listing(Connector(app.scanner, app.processor, app.verifier))


async def verdicts(app: AccountApp, found: Listing) -> dict[str, Verdict]:
    refs = [DocumentRef("file", entry.native_id, entry.version) for entry in found.listed.values()]
    answers = await verdicts_of(app.verifier, refs)
    return {ref.native_id: answers[ref] for ref in refs}


@pytest.mark.requirement("dav-tested-against-real-servers")
@pytest.mark.requirement("every-legal-file-name-works")
async def test_odd_names_are_listed_read_and_vouched_for(plain: Plain, app: AccountApp) -> None:
    for number, name in enumerate(NAMES, 1):
        plain.write(f"In & under/{name}", f"The words of {name}", number)
    found = await scan(app)
    assert found.end.complete
    assert sorted(found.listed) == sorted(str(number) for number in range(1, len(NAMES) + 1))
    for number, name in enumerate(NAMES, 1):
        read = await app.processor.fetch("file", NativeId(str(number)))
        assert read is not None
        assert read.extracted.body == f"The words of {name}"
        assert read.version == found.listed[NativeId(str(number))].version
        assert read.metadata["Path"] == f"In & under/{name}"
    assert set((await verdicts(app, found)).values()) == {Verdict.OK}


@pytest.mark.requirement("dav-tested-against-real-servers")
async def test_without_etags_of_folders_every_folder_is_looked_into(plain: Plain, app: AccountApp) -> None:
    plain.write("a/b/one.md", "one", 1)
    before = await scan(app)
    changed = plain.write("a/b/one.md", "changed", 1)
    os.utime(changed, (1_000_000_000, 1_000_000_000))
    plain.write("a/b/two.md", "two", 2)
    after = await scan(app)
    assert sorted(after.listed) == ["1", "2"]
    assert after.listed[NativeId("1")].version != before.listed[NativeId("1")].version
    assert await verdicts(app, before) == {"1": Verdict.CHANGED}


@pytest.mark.requirement("dav-tested-against-real-servers")
async def test_a_file_without_an_id_is_reported(plain: Plain, app: AccountApp) -> None:
    plain.write("a/one.md", "one")
    found = await scan(app)
    assert not found.listed
    assert [problem.native_id for problem in found.problems] == ["a/one.md"]
    assert "is it a Nextcloud?" in found.problems[0].message


@pytest.mark.requirement("dav-tested-against-real-servers")
async def test_a_missing_root_does_not_count_as_an_empty_account(plain: Plain, parsers: ParserPool) -> None:
    client = account_client(plain.url, "bob", "secret")
    bob = files_app(client, Account(plain.url, "bob", "bob", FileRules()), MemoryScanState(), parsers)
    with pytest.raises(RetriableSourceError):
        await scan(bob)
    await client.close()
