"""Files of an account against the double, which has Nextcloud's own properties."""

import tracemalloc

import pytest
from tests.nextcloud.faults import Cut, Instead, Status
from tests.nextcloud.files.content import Repeated
from tests.nextcloud.server import Nextcloud
from tests.support.docx_files import word
from tests.support.nextcloud_account import AccountsFixture, MemoryScanState
from tests.support.nextcloud_files import fetched, paths, scan, verdicts
from tests.support.verdicts import verdicts_of

from citemark.model.documents import DocumentRef, TooLarge, Verdict
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId

NAMES = (
    "plain.md",
    "with space and  two.md",
    "100% sure? #1.md",
    "%41 %2F %.md",
    "a+b&c=d;e,f.md",
    "q'uo\"te <tag>.md",
    "Bücher \u2013 Entwurf.md",
    "cafe\u0301.md",
    "日本語 のメモ.md",
    "تقرير المشروع.md",
    "\u05d3\u05d5\u05f4\u05d7 \u200f\u05e9\u05e0\u05ea\u05d9.md",
    "emoji 🦩 crane.md",
    "~tilde$!*(x)[y]{z}|^`.md",
    "back\\slash.md",
    "dots...md",
    " leading.md",
    "x" * 200 + ".md",
)


@pytest.mark.requirement("folders-descended-only-when-changed")
async def test_an_unchanged_account_costs_one_request_for_its_root(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    for number in range(30):
        files.put("alice", f"/Projects/{number % 6}/deep/{number}.md", f"text {number}")
    scan_state = MemoryScanState()
    first = await scan(accounts.files(scan_state=scan_state))
    assert first.end.complete
    assert len(first.listed) == 30
    nextcloud.log.clear()
    again = await scan(accounts.files(scan_state=scan_state))
    assert again.listed == first.listed
    assert [seen.method for seen in nextcloud.log.matching("files/alice")] == ["PROPFIND"]
    assert len(nextcloud.log) == 2


@pytest.mark.requirement("folders-descended-only-when-changed")
async def test_only_the_folders_around_a_change_are_scanned(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    files = nextcloud.world.files
    for folder in ("a", "b", "c"):
        files.put("alice", f"/{folder}/in/one.md", folder)
    scan_state = MemoryScanState()
    first = await scan(accounts.files(scan_state=scan_state))
    changed = NativeId(str(files.put("alice", "/b/in/one.md", "changed").id))
    nextcloud.log.clear()
    second = await scan(accounts.files(scan_state=scan_state))
    assert {key for key in second.listed if second.listed[key] != first.listed[key]} == {changed}
    looked = [seen.path.removeprefix("/remote.php/dav/files/alice") for seen in nextcloud.log.matching("PROPFIND")]
    assert looked == ["/", "/", "/b/", "/b/in/"]


@pytest.mark.requirement("folders-descended-only-when-changed")
async def test_a_moved_file_is_listed_again_although_its_etag_stays(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    number = NativeId(str(files.put("alice", "/a/one.md", "words").id))
    app = accounts.files()
    before = (await scan(app)).listed[number]
    files.folder("alice", "/b")
    files.move("alice", "/a/one.md", "/b/two.md")
    after = (await scan(app)).listed[number]
    assert after.version != before.version
    assert (await fetched(app, number)).metadata["Path"] == "b/two.md"


@pytest.mark.requirement("folders-descended-only-when-changed")
async def test_a_moved_folder_keeps_what_is_cached_about_it(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    files = nextcloud.world.files
    for number in range(5):
        files.put("alice", f"/a/deep/er/{number}.md", "words")
    scan_state = MemoryScanState()
    before = await scan(accounts.files(scan_state=scan_state))
    files.folder("alice", "/b")
    files.move("alice", "/a/deep", "/b/deep")
    nextcloud.log.clear()
    app = accounts.files(scan_state=scan_state)
    after = await scan(app)
    assert after.listed.keys() == before.listed.keys()
    assert all(after.listed[key].version != before.listed[key].version for key in after.listed)
    assert not nextcloud.log.matching("PROPFIND .*deep")
    assert await paths(app) == {f"b/deep/er/{number}.md" for number in range(5)}


async def test_after_an_interrupted_scan_no_change_is_missed(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    files = nextcloud.world.files
    files.put("alice", "/a/b/one.md", "words")
    scan_state = MemoryScanState()
    await scan(accounts.files(scan_state=scan_state))
    late = str(files.put("alice", "/a/b/two.md", "words").id)
    nextcloud.faults.add(Status(500), on="PROPFIND .*/a/b", times=9)
    broken = await scan(accounts.files(scan_state=scan_state))
    assert not broken.end.complete
    assert "a/b" in broken.end.reason
    assert "a/b" in broken.problems[0].native_id
    nextcloud.faults.clear()
    assert late in (await scan(accounts.files(scan_state=scan_state))).listed


async def test_a_response_about_another_account_does_not_count_as_empty(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    nextcloud.world.files.put("alice", "/one.md", "words")
    app = accounts.files("alice")
    stranger = accounts.files("alice", login="bob")
    assert (await scan(app)).end.complete
    found = await scan(stranger)
    assert not found.end.complete
    assert "user id" in found.end.reason


@pytest.mark.requirement("every-legal-file-name-works")
async def test_every_legal_name_is_listed_read_and_vouched_for(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    for name in NAMES:
        nextcloud.world.files.put("alice", f"/Odd & ünusual/{name}", f"The words of {name}")
    app = accounts.files()
    found = await scan(app)
    assert not found.problems
    read = {one.metadata["Path"]: one for one in [await fetched(app, number) for number in found.listed]}
    assert set(read) == {f"Odd & ünusual/{name}" for name in NAMES}
    assert all(one.extracted.body == f"The words of {path.rpartition('/')[2]}" for path, one in read.items())
    assert await verdicts(app, found) == [Verdict.OK] * len(NAMES)


@pytest.mark.requirement("every-legal-file-name-works")
async def test_a_file_is_found_again_without_a_scan(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    names = NAMES[1::3]
    for name in names:
        nextcloud.world.files.put("alice", f"/{name}", f"The words of {name}")
    found = await scan(accounts.files())
    other = accounts.files()
    assert await verdicts(other, found) == [Verdict.OK] * len(names)
    assert {(await fetched(other, number)).version for number in found.listed} == {
        entry.version for entry in found.listed.values()
    }


@pytest.mark.requirement("each-document-has-a-web-address")
async def test_a_file_has_its_address_path_type_and_owner(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    files = nextcloud.world.files
    node = files.put("alice", "/Projects/Heron/plan.md", "# The plan\n\nTwo cranes.")
    files.share("alice", "/Projects/Heron", "bob")
    node.tags.add(files.tags.number("Plans"))
    app = accounts.files("bob")
    found = await scan(app)
    assert list(found.listed) == [str(node.id)]
    read = await fetched(app, str(node.id))
    assert read.url == f"{nextcloud.url}/index.php/f/{node.id}"
    assert read.extracted.title == "The plan"
    assert dict(read.metadata) == {"Path": "Heron/plan.md", "Type": "text/markdown", "Owner": "alice", "Tags": "Plans"}


@pytest.mark.requirement("large-documents-are-read-last")
async def test_files_are_listed_with_their_size(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    node = nextcloud.world.files.put("alice", "/plan.md", "é" * 10)
    assert (await scan(accounts.files())).listed[NativeId(str(node.id))].size == 20


@pytest.mark.requirement("nextcloud-files-share-extraction")
async def test_files_of_other_formats_go_through_the_shared_extraction(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    node = nextcloud.world.files.put("alice", "/Letter.docx", word(lambda letter: letter.add_paragraph("Dear crane")))
    broken = nextcloud.world.files.put("alice", "/Broken.pdf", b"%PDF-1.7 nothing")
    app = accounts.files()
    assert len((await scan(app)).listed) == 2
    assert "Dear crane" in (await fetched(app, str(node.id))).extracted.body
    with pytest.raises(SkippableSourceError):
        await app.processor.fetch("file", NativeId(str(broken.id)))


@pytest.mark.requirement("nextcloud-files-share-extraction")
@pytest.mark.requirement("large-accounts-stay-below-800-mb")
async def test_a_file_of_200_mb_is_reported_from_the_listing_and_never_asked_for(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    nextcloud.world.files.put("alice", "/Videos/large.txt", Repeated(b"words ", 200_000_000))
    nextcloud.world.files.put("alice", "/small.txt", "words")
    app = accounts.files()
    tracemalloc.start()
    found = await scan(app)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.listed) == 1
    assert found.end.complete
    assert "200,000,000 bytes" in found.problems[0].message
    assert not nextcloud.log.matching("GET .*large")
    assert peak < 20_000_000


async def test_a_file_that_grew_beyond_the_cap_is_not_read(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    node = nextcloud.world.files.put("alice", "/one.txt", "words")
    app = accounts.files(max_bytes=1000)
    found = await scan(app)
    nextcloud.world.files.put("alice", "/one.txt", Repeated(b"words ", 5_000))
    assert await app.processor.fetch("file", NativeId(str(node.id))) is None
    assert await verdicts(app, found) == [Verdict.GONE]


@pytest.mark.requirement("limits-drop-nothing")
async def test_a_file_that_was_read_before_the_cap_was_lowered_may_be_shown_until_it_changes(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    node = nextcloud.world.files.put("alice", "/one.txt", "words")
    found = await scan(accounts.files())
    lower = accounts.files(max_bytes=3)
    assert await verdicts(lower, found) == [Verdict.OK], "looked up by its id"
    again = await scan(lower)
    assert not again.listed
    (large,) = again.problems
    assert isinstance(large, TooLarge)
    assert large.document == found.listed[NativeId(str(node.id))]
    assert await verdicts(lower, found) == [Verdict.OK]
    assert await lower.processor.fetch("file", NativeId(str(node.id))) is None
    nextcloud.world.files.put("alice", "/one.txt", "other words")
    assert await verdicts(lower, found) == [Verdict.GONE]


async def test_exactly_one_version_of_a_file_that_changes_during_reading_is_used(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    node = files.put("alice", "/one.md", "old words")
    app = accounts.files()
    await scan(app)
    files.put("alice", "/one.md", "new words")
    read = await fetched(app, str(node.id))
    assert read.extracted.body == "new words"
    assert (await scan(app)).listed[NativeId(str(node.id))].version == read.version


async def test_a_partial_download_is_not_mistaken_for_the_whole_file(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    node = nextcloud.world.files.put("alice", "/one.md", "The crane lifts four tonnes, but never in a storm.")
    app = accounts.files()
    await scan(app)
    nextcloud.faults.add(Cut(0.5), on="GET .*/one.md", times=1)
    with pytest.raises(RetriableSourceError, match="bytes"):
        await app.processor.fetch("file", NativeId(str(node.id)))
    assert (await fetched(app, str(node.id))).extracted.body.endswith("never in a storm.")


@pytest.mark.requirement("types-verified-in-batches")
async def test_edits_moves_deletions_and_unshares_are_reported_in_one_round(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    for name in ("kept", "edited", "moved", "deleted", "replaced"):
        files.put("alice", f"/shared/{name}.md", name)
    files.put("alice", "/apart.md", "apart")
    files.share("alice", "/shared", "bob")
    files.share("alice", "/apart.md", "bob")
    app = accounts.files("bob")
    found = await scan(app)
    named = {(await fetched(app, number)).extracted.body: entry for number, entry in found.listed.items()}
    files.put("alice", "/shared/edited.md", "edited since")
    files.folder("alice", "/shared/sub")
    files.move("alice", "/shared/moved.md", "/shared/sub/elsewhere.md")
    files.delete("alice", "/shared/deleted.md")
    files.delete("alice", "/shared/replaced.md")
    files.put("alice", "/shared/replaced.md", "another file")
    files.unshare_with("alice", "/apart.md", "bob")
    refs = {name: DocumentRef("file", entry.native_id, entry.version) for name, entry in named.items()}
    answers = await verdicts_of(app.verifier, list(refs.values()))
    assert {name: answers[ref] for name, ref in refs.items()} == {
        "kept": Verdict.OK,
        "edited": Verdict.CHANGED,
        "moved": Verdict.CHANGED,
        "deleted": Verdict.GONE,
        "replaced": Verdict.GONE,
        "apart": Verdict.GONE,
    }


@pytest.mark.requirement("types-verified-in-batches")
async def test_ten_files_are_verified_in_one_parallel_round(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    for number in range(10):
        nextcloud.world.files.put("alice", f"/{number}.md", "words")
    app = accounts.files()
    found = await scan(app)
    nextcloud.log.clear()
    nextcloud.answers_together(9, before=1)  # the first of them shows whether the password still holds
    assert await verdicts(app, found) == [Verdict.OK] * 10
    assert len(nextcloud.log) == 10
    another_process = accounts.files()
    nextcloud.log.clear()
    nextcloud.answers_together(10, before=1)  # a new client proves its password with one
    assert await verdicts(another_process, found) == [Verdict.OK] * 10
    assert len(nextcloud.log) == 21, "ten searches by id, ten looks at a path, one question where notes are kept"


@pytest.mark.requirement("refused-paths-stay-refused")
@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_file_whose_path_is_refused_is_not_vouched_for_by_a_search_for_its_id(
    nextcloud: Nextcloud, accounts: AccountsFixture, status: int, *, restarted: bool
) -> None:
    for name in ("refused", "kept"):
        nextcloud.world.files.put("alice", f"/{name}.md", name)
    app = accounts.files()
    found = await scan(app)
    assert await verdicts(app, found) == [Verdict.OK] * 2
    asked = accounts.files() if restarted else app
    nextcloud.faults.add(Status(status), on="PROPFIND .*/refused.md", times=9)
    assert sorted(await verdicts(asked, found)) == [Verdict.GONE, Verdict.OK]


@pytest.mark.requirement("refused-paths-stay-refused")
@pytest.mark.parametrize("restarted", [False, True])
async def test_a_file_that_was_moved_is_found_by_its_id_also_after_a_restart(
    nextcloud: Nextcloud, accounts: AccountsFixture, *, restarted: bool
) -> None:
    files = nextcloud.world.files
    files.put("alice", "/here.md", "words")
    files.folder("alice", "/there")
    app = accounts.files()
    found = await scan(app)
    files.move("alice", "/here.md", "/there/here.md")
    asked = accounts.files() if restarted else app
    assert await verdicts(asked, found) == [Verdict.CHANGED]
    (number,) = found.listed
    assert (await fetched(asked, number)).metadata["Path"] == "there/here.md"


async def test_a_file_that_cannot_be_verified_leaves_the_others_their_verdict(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for name in ("a", "b"):
        nextcloud.world.files.put("alice", f"/{name}.md", name)
    app = accounts.files()
    found = await scan(app)
    nextcloud.faults.add(Status(500), on="/a.md", times=9)
    assert sorted(await verdicts(app, found)) == [Verdict.OK, Verdict.UNKNOWN]
    with pytest.raises(RetriableSourceError):
        await app.processor.fetch("file", next(iter(found.listed)))


@pytest.mark.requirement("links-between-apps-are-relationships")
async def test_links_by_address_and_by_path_are_relationships(nextcloud: Nextcloud, accounts: AccountsFixture) -> None:
    files = nextcloud.world.files
    target = files.put("alice", "/Projects/plan.md", "plan").id
    text = (
        f"[a](../plan.md#part) [b]({nextcloud.url}/f/77) [c](https://example.org/) [d](missing.md) "
        f"[e](/Projects/plan.md)"
    )
    number = files.put("alice", "/Projects/sub/links.md", text).id
    app = accounts.files()
    await scan(app)
    stated = (await fetched(app, str(number))).relationships
    assert [(one.type, one.to_native_id, one.to_url) for one in stated] == [
        ("links_to", str(target), None),
        ("links_to", "77", None),
        ("references", None, "https://example.org/"),
    ]


@pytest.mark.requirement("links-between-apps-are-relationships")
async def test_a_relative_link_leads_to_a_file_that_was_not_listed_yet(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    target = files.put("alice", "/Projects/Über plan.md", "plan").id
    text = "[a](../%C3%9Cber%20plan.md#part) [b](../%C3%9Cber%20plan.md) [c](/Projects/)"
    number = files.put("alice", "/Projects/sub/links.md", text).id
    read = await fetched(accounts.files(), str(number))
    assert [(one.type, one.to_native_id) for one in read.relationships] == [("links_to", str(target))]


@pytest.mark.requirement("wikilinks-are-edges")
async def test_a_wikilink_in_a_file_means_the_nearest_file_of_that_name(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    far, near = (files.put("alice", path, "plan").id for path in ("/q/Kettle plan.md", "/a/b/Kettle plan.md"))
    deep = files.put("alice", "/x/y/Über.md", "words").id
    number = files.put("alice", "/a/links.md", "[[kettle plan]] [[Über#Part|there]] [[Kettle plan.md]] ![[c.png]]").id
    app = accounts.files()
    await scan(app)
    read = await fetched(app, str(number))
    assert [one.to_native_id for one in read.relationships] == [str(near), str(deep)]
    other = files.put("alice", "/z.md", "[[Kettle plan]]").id
    await scan(app)
    assert [one.to_native_id for one in (await fetched(app, str(other))).relationships] == [str(far)]


@pytest.mark.requirement("links-between-apps-are-relationships")
async def test_relative_links_to_what_cannot_be_a_document_cost_no_request_and_resolve_to_nothing(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    for path in ("/apart/excluded.md", "/logo.png", "/a.md"):
        files.put("alice", path, "words")
    note = nextcloud.world.notes.add("alice", "A note", "words", "Work")
    hrefs = ("apart/excluded.md", "logo.png", "../../a.md", ".", "..", "%00.md", f"{'x' * 3000}.md", "Notes/Work/n.md")
    number = files.put("alice", "/links.md", " ".join(f"[{n}]({href})" for n, href in enumerate(hrefs))).id
    app = accounts.files(exclude=["apart/"])
    await scan(app)
    nextcloud.log.clear()
    assert (await fetched(app, str(number))).relationships == ()
    assert [seen.method for seen in nextcloud.log.matching("")] == ["GET"], note


@pytest.mark.requirement("links-between-apps-are-relationships")
async def test_each_unknown_path_of_a_file_is_asked_for_once_and_no_more_than_two_hundred(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    for n in range(210):
        nextcloud.world.files.put("alice", f"/z/{n}.md", "words")
    missing = [f"[{n}](missing{n % 300}.md)" for n in range(900)]
    text = " ".join([*missing, *(f"[{n}](z/{n}.md)" for n in range(210))])
    number = nextcloud.world.files.put("alice", "/links.md", text).id
    app = accounts.files()
    await scan(app)
    nextcloud.log.clear()
    assert len((await fetched(app, str(number))).relationships) == 210, "those that were listed count for nothing"
    assert len(nextcloud.log.matching("PROPFIND .*missing")) == 200


async def test_a_file_shared_without_permission_to_download_is_reported_as_that(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    number = nextcloud.world.files.put("alice", "/view only.md", "words").id
    nextcloud.faults.add(Status(403), on="GET .*/view only.md")
    app = accounts.files()
    assert str(number) in (await scan(app)).listed
    for asked in (app, accounts.files()):
        with pytest.raises(SkippableSourceError, match="not download it"):
            await asked.processor.fetch("file", NativeId(str(number)))


async def test_a_download_refused_where_the_file_was_is_tried_where_it_is(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    files = nextcloud.world.files
    number = files.put("alice", "/old.md", "words").id
    app = accounts.files()
    await scan(app)
    files.move("alice", "/old.md", "/new.md")
    nextcloud.faults.add(Status(403), on="GET .*/old.md")
    assert (await fetched(app, str(number))).metadata["Path"] == "new.md"


@pytest.mark.requirement("nextcloud-31-folders-are-folders")
async def test_the_archive_that_nextcloud_31_makes_of_a_folder_is_not_taken_for_the_file_that_was_there(
    nextcloud: Nextcloud, accounts: AccountsFixture
) -> None:
    number = nextcloud.world.files.put("alice", "/heron.md", "# Heron\n").id
    app = accounts.files()
    await scan(app)
    archive = 200, {"content-type": "application/zip"}, b"PK\x05\x06" + bytes(18)
    nextcloud.faults.add(Instead(lambda _: archive), on="GET .*/heron.md")
    with pytest.raises(RetriableSourceError, match="it is downloaded again later"):
        await app.processor.fetch("file", NativeId(str(number)))
