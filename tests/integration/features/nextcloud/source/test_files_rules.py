"""Which files of an account are documents."""

import io
from pathlib import Path

import pytest
from PIL import Image
from tests.nextcloud.faults import Status
from tests.nextcloud.server import Nextcloud
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.nextcloud_files import paths, scan, verdicts

from citemark.extraction.text_recognition import TextRecognition
from citemark.features.nextcloud.source.file_rules import FileRules
from citemark.model.documents import Verdict
from citemark.model.errors import ConfigurationError, SkippableSourceError
from citemark.model.ids import NativeId
from citemark.model.left_out import LeftOut


@pytest.mark.requirement("changed-file-rules-purge")
async def test_folders_types_and_names_choose_the_files(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    for path in ("a/1.md", "a/2.txt", "a/sub/3.md", "b/4.md", ".git/5.md", "a/6.jpg", "a/.7.md", "a/8.css"):
        nextcloud.world.files.put("alice", f"/{path}", "words")
    assert await paths(accounts.files()) == {"a/1.md", "a/2.txt", "a/sub/3.md", "b/4.md"}
    assert await paths(accounts.files(include=["/a/"])) == {"a/1.md", "a/2.txt", "a/sub/3.md"}
    assert await paths(accounts.files(exclude=["sub/", "*.txt"])) == {"a/1.md", "b/4.md"}
    assert await paths(accounts.files(types=["txt", "text/css"])) == {"a/2.txt", "a/8.css"}
    assert await paths(accounts.files(hidden=True, include=["/a/*.md", "/.git/"])) == {
        "a/1.md",
        "a/.7.md",
        ".git/5.md",
    }


@pytest.mark.requirement("changed-file-rules-purge")
async def test_a_changed_rule_removes_documents_from_the_next_complete_listing(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for path in ("a/1.md", "b/2.md"):
        nextcloud.world.files.put("alice", f"/{path}", "words")
    scan_state = MemoryScanState()
    before = await scan(accounts.files(scan_state=scan_state))
    app = accounts.files(scan_state=scan_state, exclude=["/b/"])
    after = await scan(app)
    assert after.end.complete
    assert len(after.listed) == 1
    [purged] = before.listed.keys() - after.listed.keys()
    assert await app.processor.fetch("file", purged) is None
    assert sorted(await verdicts(app, before)) == [Verdict.GONE, Verdict.OK]
    assert (await scan(accounts.files(scan_state=scan_state))).listed == before.listed


@pytest.mark.requirement("changed-file-rules-purge")
async def test_a_tag_on_a_file_or_on_a_folder_around_it_chooses_it(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    for path in ("a/1.md", "a/sub/2.md", "b/3.md", "c/4.md"):
        files.put("alice", f"/{path}", "words")
    number = files.tags.number("Knowledge")
    for path in ("/a", "/b/3.md"):
        files.tree.locate("alice", path).node.tags.add(number)
    app = accounts.files(tags=["knowledge"])
    assert await paths(app) == {"a/1.md", "a/sub/2.md", "b/3.md"}
    files.tree.locate("alice", "/b/3.md").node.tags.discard(number)
    assert await paths(app) == {"a/1.md", "a/sub/2.md"}
    none = await scan(accounts.files(tags=["unknown"]))
    assert none.end.complete
    assert not none.listed
    assert [problem.native_id for problem in none.problems] == ["unknown"]


@pytest.mark.requirement("changed-file-rules-purge")
async def test_of_two_tags_with_one_name_each_chooses_its_files(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    for path in ("public.md", "restricted.md", "neither.md"):
        files.put("alice", f"/{path}", "words")
    public, restricted = files.tags.number("Knowledge"), 77
    files.tags.names[restricted] = "Knowledge"  # the server tells them apart by who may see and assign them
    files.tree.locate("alice", "/public.md").node.tags.add(public)
    files.tree.locate("alice", "/restricted.md").node.tags.add(restricted)
    assert await paths(accounts.files(tags=["knowledge"])) == {"public.md", "restricted.md"}


@pytest.mark.requirement("scans-of-accounts")
async def test_pictures_of_an_account_are_documents_only_where_their_text_is_asked_for(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for path in ("scan.PNG", "plan.pdf", "notes.md", "drawing.svg"):
        nextcloud.world.files.put("alice", f"/{path}", "x")
    assert sorted(entry.readers for entry in (await scan(accounts.files())).listed.values()) == [
        ("files", "markdown"),
        ("files", "pdf"),
    ]
    asked = await scan(accounts.files(ocr=True))
    assert sorted(entry.readers for entry in asked.listed.values()) == [
        ("files", "markdown"),
        ("files", "ocr", "tesseract"),
        ("files", "pdf", "ocr", "tesseract"),
    ]
    assert len((await scan(accounts.files(ocr=True, types=["md"]))).listed) == 1


@pytest.mark.requirement("scans-of-accounts")
@pytest.mark.skipif(TextRecognition("rapidocr").is_installed, reason="what is said without the extra")
async def test_a_picture_of_an_account_is_handed_to_text_recognition(
    nextcloud: Nextcloud, accounts: AccountsFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # where there is no Tesseract
    stream = io.BytesIO()
    Image.new("RGB", (8, 8), "white").save(stream, "PNG")
    nextcloud.world.files.put("alice", "/scan.png", stream.getvalue())
    app = accounts.files(ocr=True)
    (native_id,) = (await scan(app)).listed
    with pytest.raises(SkippableSourceError, match=r"pip install 'citemark\[ocr\]'"):
        await app.processor.fetch("file", native_id)


def test_malformed_rules_are_refused_with_the_accepted_forms() -> None:
    with pytest.raises(ConfigurationError, match="they take include, exclude, tags, types, hidden"):
        FileRules.from_config({"folders": ["a"]})
    with pytest.raises(ConfigurationError, match="`include` in the rules for files is a list"):
        FileRules.from_config({"include": "a"})
    with pytest.raises(ConfigurationError, match="`ocr` of a source is true or false"):
        FileRules.from_config({"ocr": "yes"})


@pytest.mark.requirement("notes-path-files-are-notes")
async def test_files_in_the_notes_folder_are_left_to_the_notes_app(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    note = nextcloud.world.notes.add("alice", "A note", "words", "Work")
    other = nextcloud.world.files.put("alice", "/Notes of old/one.md", "words").id
    app = accounts.files()
    assert list((await scan(app)).listed) == [str(other)]
    for asked in (app, accounts.files()):
        assert await asked.processor.fetch("file", NativeId(str(note))) is None


def reasons(left_out: LeftOut | None) -> dict[str, tuple[int, bool]]:
    """How many files are left out for each reason, and whether there may be more."""
    assert left_out is not None
    assert left_out.of_account
    return {f"{group.exclusion.reason}{group.exclusion.where}": (group.files, group.more) for group in left_out.groups}


@pytest.mark.requirement("left-out-counted", "left-out-of-accounts")
async def test_every_file_of_an_account_is_listed_or_counted_by_its_reason(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    for path in (
        "a/1.md",
        "a/2.png",
        "a/3.png",
        "a/4.bin",
        "a/.5.md",
        ".git/deep/6",
        ".git/7",
        "drafts/8.md",
        "id_rsa",
    ):
        files.put("alice", f"/{path}", "words")
    files.put("alice", "/a/large.md", "words " * 500)
    files.put("alice", "/app/node_modules/x/index.js", "words")
    files.put("alice", "/vault/4f2a", "words")
    files.tree.locate("alice", "/vault").node.encrypted = True
    everything = 12
    nextcloud.world.notes.add("alice", "A note", "words", "Work")  # a file, and not one of those to be counted
    scan_state = MemoryScanState()
    listing = await scan(accounts.files(exclude=["/drafts/"], max_bytes=1000, scan_state=scan_state))
    counted = reasons(listing.end.left_out)
    assert counted == {
        "type.png": (2, False),
        "type.bin": (1, False),
        "hidden": (3, False),
        "excluded": (1, False),
        "secret": (1, False),
        "too_large": (1, False),
        "foldernode_modules": (1, False),
        "encrypted": (1, False),
    }
    assert len(listing.listed) + sum(files for files, _ in counted.values()) == everything
    asked = len(nextcloud.log.matching("PROPFIND"))
    again = await scan(accounts.files(exclude=["/drafts/"], max_bytes=1000, scan_state=scan_state))
    assert reasons(again.end.left_out) == counted
    assert len(nextcloud.log.matching("PROPFIND")) == asked + 1, "unchanged folders are not listed again to be counted"


@pytest.mark.requirement("left-out-of-accounts")
async def test_rules_that_a_person_set_are_told_apart_from_types(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for path in ("a/1.md", "a/2.txt", "a/3.png"):
        nextcloud.world.files.put("alice", f"/{path}", "words")
    assert reasons((await scan(accounts.files(types=["txt"]))).end.left_out) == {"other_type": (2, False)}
    assert reasons((await scan(accounts.files(include=["*.md"]))).end.left_out) == {"not_included": (2, False)}
    number = nextcloud.world.files.tags.number("Knowledge")
    nextcloud.world.files.tree.locate("alice", "/a/2.txt").node.tags.add(number)
    untagged = (await scan(accounts.files(tags=["knowledge"]))).end.left_out
    assert reasons(untagged) == {"untagged": (2, False)}
    assert untagged is not None
    assert untagged.text == "2 without a tag of --file-tag"


@pytest.mark.requirement("left-out-of-accounts")
async def test_of_folders_that_are_left_out_only_a_few_are_listed_to_count_their_files(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for number in range(60):
        nextcloud.world.files.put("alice", f"/.cache/{number}/x", "words")
    left_out = (await scan(accounts.files())).end.left_out
    assert reasons(left_out) == {"hidden": (39, True)}
    assert len(nextcloud.log.matching("PROPFIND")) < 50
    nextcloud.faults.add(Status(503), on="PROPFIND .*/.trouble", times=100)
    nextcloud.world.files.put("alice", "/.trouble/1.md", "words")
    listing = await scan(accounts.files(exclude=[".cache"]))
    assert listing.end.complete, "what is left out is not needed"
    assert reasons(listing.end.left_out)["hidden"] == (0, True)
    assert listing.end.left_out is not None
    assert "an unknown number hidden" in listing.end.left_out.text
