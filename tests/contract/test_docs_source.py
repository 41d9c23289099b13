"""A folder of documents keeps the contract, and what only folders can do to it."""

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import cast

import pytest
from tests.contract.source_contract import Listing, SourceContract, World, listing, verdict

from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import ConfigurationError, FatalSourceError, SkippableSourceError
from citemark.model.ids import NativeId, Version
from citemark.sources.contract import Connector
from citemark.sources.docs import connector
from citemark.sources.docs.connector import docs_connector
from citemark.sources.file_system import real_path

_NOBODY = 65534
PAGE = "page"


@pytest.fixture
def base() -> Generator[Path, None, None]:
    """A folder that any user can reach, unlike tmp_path."""
    folder = Path(mkdtemp(prefix="citemark-docs-"))
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    rmtree(folder)


@pytest.fixture
def root(base: Path) -> Path:
    folder = base / "docs"
    folder.mkdir()
    return folder


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def connect(root: Path, parsers: ParserPool | None = None, **config: object) -> Connector:
    """A connector; one of a test that fetches what is no plain text is given parsers, which that test closes."""
    return docs_connector({"root": str(root), **config}, parsers or ParserPool())


async def found(root: Path, **config: object) -> Listing:
    return await listing(connect(root, None, **config))


@contextmanager
def as_nobody() -> Generator[None, None, None]:
    """Without root's right to read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


class TestContract(SourceContract):
    @pytest.fixture
    def world(self, root: Path) -> World:
        def put(name: str, words: str) -> NativeId:
            path = root / f"{name}.md"
            path.write_text(f"# {name}\n\n{words}\n")
            return NativeId(path.name)

        @contextmanager
        def away() -> Generator[None, None, None]:
            root.rename(root.with_name("elsewhere"))
            yield
            root.with_name("elsewhere").rename(root)

        def rename(name: str, other: str) -> None:
            (root / f"{name}.md").rename(root / f"{other}.md")

        return World(connect(root), PAGE, put, lambda name: (root / f"{name}.md").unlink(), away, rename)


async def test_documents_are_listed_in_the_order_of_their_names(root: Path) -> None:
    write(root, {"b.md": "", "a/z.mdx": "", "a/b/c.txt": "", "d.rst": "", "e.markdown": "", "no.py": "", "Up.MD": ""})
    assert list((await found(root)).listed) == ["Up.MD", "a/b/c.txt", "a/z.mdx", "b.md", "d.rst", "e.markdown"]


async def test_hidden_folders_and_those_of_tools_are_left_out_unless_asked_for(root: Path) -> None:
    write(root, {".git/a.md": "", "node_modules/x/b.md": "", ".hidden.md": "", "c.md": ""})
    assert list((await found(root)).listed) == ["c.md"]
    assert len((await found(root, hidden=True)).listed) == 4


@pytest.mark.requirement("doctor-tells-broken-from-unread")
async def test_files_of_no_type_that_is_read_are_counted_unless_a_pattern_chose(root: Path) -> None:
    write(
        root, {"a.md": "", "b.png": "", "c.PNG": "", "Makefile": "", ".hidden.png": "", "drafts/d.png": "", "e.csv": ""}
    )
    scanned = await found(root, exclude=["drafts/"])
    assert list(scanned.listed) == ["a.md", "e.csv"]
    assert scanned.end.skipped == {".png": 2, "": 1}
    chosen = await found(root, include=["*.md", "Makefile"])
    assert list(chosen.listed) == ["Makefile", "a.md"]
    assert chosen.end.skipped == {}


@pytest.mark.requirement("doctor-tells-broken-from-unread")
async def test_lock_files_of_office_programs_are_not_documents(root: Path) -> None:
    write(root, {"~$report.docx": "x", "report.md": "", "~notes.md": ""})
    scanned = await found(root)
    assert (list(scanned.listed), scanned.problems, scanned.end.skipped) == (["report.md", "~notes.md"], [], {})
    assert "~$report.docx" in (await found(root, hidden=True)).listed


@pytest.mark.requirement("docs-source-has-globs")
async def test_globs_choose_as_in_gitignore(root: Path) -> None:
    write(root, {"a.md": "", "drafts/b.md": "", "x/drafts/c.md": "", "x/d.md": "", "x/e.py": "", "f.tmp.md": ""})
    assert list((await found(root, exclude=["drafts/", "*.tmp.md"])).listed) == ["a.md", "x/d.md"]
    assert list((await found(root, include=["/x/**/*.md", "*.py", "!x/d.md"])).listed) == ["x/drafts/c.md", "x/e.py"]
    assert list((await found(root, exclude=["/drafts"])).listed) == ["a.md", "f.tmp.md", "x/d.md", "x/drafts/c.md"]


async def test_documents_excluded_by_a_new_pattern_are_no_longer_shown(root: Path) -> None:
    write(root, {"secret/a.md": "x"})
    listed = (await found(root)).listed[NativeId("secret/a.md")]
    changed = connect(root, exclude=["secret/"])
    assert await verdict(changed, PAGE, listed.native_id, listed.version) is Verdict.EXCLUDED
    (root / "secret/a.md").unlink()
    assert await verdict(changed, PAGE, listed.native_id, listed.version) is Verdict.EXCLUDED
    assert await changed.processor.fetch(PAGE, listed.native_id) is None


@pytest.mark.parametrize(
    "config",
    [{}, {"root": ""}, {"root": "x", "include": "*.md"}, {"root": "x", "globs": []}, {"root": "x", "url": 3}],
)
def test_a_wrong_configuration_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        docs_connector(config, ParserPool())


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (None, None),
        ("https://a.example/d/", "https://a.example/d/x%20y/index.md"),
        ("https://a.example/{page}", "https://a.example/x%20y"),
        ("https://a.example/blob/{path}?plain=1", "https://a.example/blob/x%20y/index.md?plain=1"),
    ],
)
async def test_a_page_knows_where_it_is_published(root: Path, url: str | None, expected: str | None) -> None:
    write(root, {"x y/index.md": "text"})
    fetched = await connect(root, url=url).processor.fetch(PAGE, NativeId("x y/index.md"))
    assert fetched is not None
    assert (fetched.url, fetched.extracted.title) == (expected, "x y")


@pytest.mark.requirement("huge-file-reported-and-skipped")
async def test_a_huge_file_is_reported_from_its_size_alone(root: Path) -> None:
    write(root, {"a.md": "fine"})
    with (root / "huge.md").open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    scanned = await found(root)
    assert list(scanned.listed) == ["a.md"]
    assert scanned.end.complete
    assert [(problem.native_id, "314,572,800" in problem.message) for problem in scanned.problems] == [
        ("huge.md", True)
    ]
    with pytest.raises(SkippableSourceError, match="314,572,800"):
        await connect(root).processor.fetch(PAGE, NativeId("huge.md"))


@pytest.mark.requirement("binary-named-md-is-skipped")
async def test_a_binary_with_a_text_name_is_refused_alone(root: Path) -> None:
    (root / "a.md").write_bytes(b"\x7fELF\0\0\0\1" * 100)
    with pytest.raises(SkippableSourceError, match="binary"):
        await connect(root).processor.fetch(PAGE, NativeId("a.md"))


@pytest.mark.requirement("unreadable-file-stops-nothing")
async def test_a_folder_that_cannot_be_read_makes_the_listing_incomplete(root: Path) -> None:
    write(root, {"a.md": "", "locked/b.md": "", "z.md": ""})
    (root / "locked").chmod(0)
    with as_nobody():
        scanned = await found(root)
    assert list(scanned.listed) == ["a.md", "z.md"]
    assert not scanned.end.complete
    assert "locked" in scanned.end.reason
    assert [problem.native_id for problem in scanned.problems] == ["locked"]


@pytest.mark.requirement("unreadable-file-stops-nothing")
async def test_a_file_that_cannot_be_read_is_skipped_with_the_reason(root: Path) -> None:
    write(root, {"a.md": "secret"})
    listed = (await found(root)).listed[NativeId("a.md")]
    (root / "a.md").chmod(0)
    connector = connect(root)
    with as_nobody():
        with pytest.raises(SkippableSourceError, match="Permission denied"):
            await connector.processor.fetch(PAGE, NativeId("a.md"))
        assert await verdict(connector, PAGE, listed.native_id, listed.version) is Verdict.UNKNOWN


async def test_a_root_that_is_not_a_folder_stops_the_scan(base: Path) -> None:
    write(base, {"file.md": ""})
    for root in (base / "missing", base / "file.md"):
        with pytest.raises(FatalSourceError, match="cannot be listed"):
            await found(root)


@pytest.mark.requirement("path-outside-source-not-read")
async def test_links_are_followed_inside_the_root_only(base: Path, root: Path) -> None:
    write(base, {"outside/secret.md": "secret", "docs/real/a.md": "inside"})
    (root / "leak.md").symlink_to(base / "outside" / "secret.md")
    (root / "leaks").symlink_to(base / "outside")
    (root / "alias.md").symlink_to("real/a.md")
    (root / "folder").symlink_to("real")
    (root / "broken.md").symlink_to("nowhere.md")
    scanned = await found(root)
    assert list(scanned.listed) == ["alias.md", "folder/a.md", "real/a.md"]
    assert [problem.native_id for problem in scanned.problems] == ["broken.md", "leak.md", "leaks"]
    assert scanned.end.complete


@pytest.mark.requirement("path-outside-source-not-read")
@pytest.mark.parametrize(
    "native_id",
    [
        "../secret.md",
        "/etc/hostname",
        "a/../../secret.md",
        "./a.md",
        "a//b.md",
        "",
        ".",
        "leak.md",
        "leaks/secret.md",
        "a\0.md",
        "\ud800.md",
    ],
)
async def test_no_native_id_leads_out_of_the_root(base: Path, root: Path, native_id: str) -> None:
    write(base, {"secret.md": "secret"})
    (root / "leak.md").symlink_to(base / "secret.md")
    (root / "leaks").symlink_to(base)
    connector = connect(root, include=["**"], hidden=True)
    assert await connector.processor.fetch(PAGE, NativeId(native_id)) is None
    assert await verdict(connector, PAGE, native_id, "1") in {Verdict.EXCLUDED, Verdict.UNKNOWN}


@pytest.mark.requirement("path-outside-source-not-read")
async def test_a_folder_swapped_for_a_link_before_opening_is_not_followed(
    base: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(base, {"outside/a.md": "secret", "docs/sub/a.md": "fine"})

    def resolve_then_swap(real_root: str, native_id: NativeId) -> str:
        real = real_path(real_root, native_id)
        (root / "sub").rename(root / "kept")
        (root / "sub").symlink_to(base / "outside")
        return real

    monkeypatch.setattr(connector, "real_path", resolve_then_swap)
    assert await connect(root).processor.fetch(PAGE, NativeId("sub/a.md")) is None


@pytest.mark.requirement("symlink-loops-end")
async def test_loops_of_links_end(root: Path) -> None:
    write(root, {"a/b/c.md": ""})
    (root / "a" / "b" / "up").symlink_to(root / "a")
    (root / "self").symlink_to(".")
    (root / "one.md").symlink_to("two.md")
    (root / "two.md").symlink_to("one.md")
    scanned = await found(root)
    assert list(scanned.listed) == ["a/b/c.md"]
    assert [problem.native_id for problem in scanned.problems] == ["a/b/up", "one.md", "self", "two.md"]
    assert scanned.end.complete


async def test_a_name_that_is_not_utf_8_is_reported(root: Path) -> None:
    (root / os.fsdecode(b"caf\xe9.md")).write_text("x")
    (root / os.fsdecode(b"dir\xff")).mkdir()
    (root / "fine.md").write_text("x")
    scanned = await found(root)
    assert list(scanned.listed) == ["fine.md"]
    assert len(scanned.problems) == 2
    for problem in scanned.problems:
        problem.native_id.encode()


async def test_a_name_longer_than_any_file_has_is_refused(root: Path) -> None:
    connector = connect(root)
    endless = NativeId("x" * 5000 + ".md")
    with pytest.raises(SkippableSourceError, match="too long"):
        await connector.processor.fetch(PAGE, endless)
    assert await verdict(connector, PAGE, endless, "1") is Verdict.UNKNOWN


async def test_only_regular_files_are_opened(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    (root / "folder.md").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(root / "socket.md"))
        scanned = await found(root)
    assert not scanned.listed
    assert [problem.native_id for problem in scanned.problems] == ["pipe.md", "socket.md"]
    with pytest.raises(SkippableSourceError, match="not a regular file"):
        await connect(root).processor.fetch(PAGE, NativeId("pipe.md"))


@pytest.mark.requirement("every-source-has-a-verifier")
async def test_equal_size_and_a_restored_time_do_not_hide_an_edit(root: Path) -> None:
    write(root, {"a.md": "5 seconds"})
    before = (await found(root)).listed[NativeId("a.md")]
    times = (root / "a.md").stat()
    write(root, {"a.md": "8 seconds"})
    os.utime(root / "a.md", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (await found(root)).listed[NativeId("a.md")].version != before.version


@pytest.mark.requirement("unchanged-file-costs-one-stat")
async def test_a_rescan_opens_no_file(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {f"f{n}/p{n}.md": "x" for n in range(50)})
    before = await found(root)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a scan must not open files")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    assert (await found(root)).listed == before.listed


@pytest.mark.requirement("mdx-and-plain-text-are-read")
async def test_the_suffix_decides_how_a_file_is_read(root: Path) -> None:
    write(root, {"a.mdx": "# Head", "a.txt": "# Head", "b.RST": "Head\n===="})
    connector = connect(root)
    sections = {
        name: len(fetched.extracted.sections)
        for name in ("a.mdx", "a.txt", "b.RST")
        if (fetched := await connector.processor.fetch(PAGE, NativeId(name)))
    }
    assert sections == {"a.mdx": 1, "a.txt": 0, "b.RST": 0}


@pytest.mark.requirement("html-is-indexed-with-spans")
async def test_the_folder_of_a_saved_pages_parts_is_left_out(root: Path) -> None:
    write(root, {"Setup.html": "", "Setup_files/frame.html": "", "Plan.htm": "", "Plan-Dateien/ad.html": ""})
    write(root, {"old_files/kept.html": "", "sub/Setup_files/kept.md": ""})
    expected = ["Plan.htm", "Setup.html", "old_files/kept.html", "sub/Setup_files/kept.md"]
    assert list((await found(root)).listed) == expected
    assert await connect(root).processor.fetch(PAGE, NativeId("Setup_files/frame.html")) is None
    assert len((await found(root, hidden=True)).listed) == 6


@pytest.mark.requirement("html-is-indexed-with-spans")
async def test_links_of_a_saved_site_lead_to_its_pages(root: Path, parsers: ParserPool) -> None:
    links = ["../index.html", "./", "guide/", "setup", "https://a.example/x", "javascript:go()", "none.html"]
    body = "".join(f"<a href='{target}'>word</a> " for target in links)
    write(
        root,
        {"site/index.html": f"<p>{body}</p>", "index.html": "", "site/guide/index.html": "", "site/setup.html": ""},
    )
    fetched = await connect(root, parsers).processor.fetch(PAGE, NativeId("site/index.html"))
    assert fetched is not None
    assert [str(entry.to_native_id or entry.to_url) for entry in fetched.relationships] == [
        "index.html", "site/index.html", "site/guide/index.html", "site/setup.html", "https://a.example/x",
        "site/none.html",
    ]  # fmt: skip


@pytest.mark.requirement("links-and-containment-are-relationships")
async def test_links_of_a_real_tree_lead_to_its_pages(shared_data: Path, parsers: ParserPool) -> None:
    connector = connect(shared_data / "docs-mcp", parsers)
    listed = (await listing(connector)).listed
    page = NativeId("docs/specification/2025-11-25/basic/index.mdx")
    fetched = await connector.processor.fetch(PAGE, page)
    assert fetched is not None
    targets = {str(link.to_native_id).partition("#")[0] for link in fetched.relationships if link.to_native_id}
    assert len(listed) > 300
    assert targets & set(listed)


async def test_an_unexpected_error_ends_the_verdicts_and_leaves_no_caller_waiting(root: Path) -> None:
    gone = DocumentRef(PAGE, NativeId("gone.md"), Version("1"))
    broken = DocumentRef(PAGE, cast("NativeId", 7), Version("1"))
    verdicts = connect(root).verifier.verify([gone, broken, gone])
    assert await anext(verdicts) == (gone, Verdict.GONE), "what was found before it counts"
    with pytest.raises(AttributeError):
        await anext(verdicts)
