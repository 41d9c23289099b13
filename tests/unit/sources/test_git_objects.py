"""Objects of repositories that a stranger made: sizes are looked up before anything is inflated."""

import tracemalloc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dulwich.objects import Blob, ObjectID, hex_to_sha
from dulwich.pack import OFS_DELTA, REF_DELTA
from dulwich.repo import Repo
from tests.support.git_objects import delta_of, entry_of, loose_path, repository, write_loose, write_pack

from citemark.sources.git_objects import DamagedObject, GitObjects, LargeObject, MissingObject

pytestmark = pytest.mark.requirement("unreadable-moments-refused-clearly")

BLOB = 3
MOST = 1_000
BASE = Blob.from_string(b"The quay is in the harbour.\n" * 10)
COPY = b"\x90\x0a"  # the first ten bytes of the base
CHANGED = Blob.from_string(BASE.data[:10])


@contextmanager
def objects_in(folder: Path) -> Generator[GitObjects]:
    repo = Repo(str(folder))
    try:
        yield GitObjects(repo.object_store)
    finally:
        repo.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "work")


def read(folder: Path, name: bytes, most: int = MOST) -> bytes:
    with objects_in(folder) as objects:
        return objects.read(name, most).as_raw_string()


def raw(name: bytes) -> bytes:
    return hex_to_sha(ObjectID(name))


def test_an_object_of_its_own_and_one_in_a_pack_are_read_up_to_a_limit(folder: Path) -> None:
    repository(folder, BASE)
    packed = Blob.from_string(b"packed" * 100)
    write_pack(folder, [(packed.id, entry_of(BLOB, packed.data))])
    for blob in (BASE, packed):
        assert read(folder, blob.id, len(blob.data)) == blob.data
        with pytest.raises(LargeObject) as refused:
            read(folder, blob.id, len(blob.data) - 1)
        assert refused.value.size == len(blob.data)
    with pytest.raises(MissingObject):
        read(folder, b"0" * 40)


def test_changes_to_an_object_are_read_with_the_size_of_the_result(folder: Path) -> None:
    base, distance = entry_of(BLOB, BASE.data), 0
    distance = len(base)
    delta = delta_of(len(BASE.data), 10, COPY)
    near = entry_of(OFS_DELTA, delta, base=bytes([distance]))
    again = Blob.from_string(BASE.data[:10] * 2)
    twice = entry_of(REF_DELTA, delta_of(10, 20, COPY, COPY), base=raw(CHANGED.id))
    write_pack(folder, [(BASE.id, base), (CHANGED.id, near), (again.id, twice)])
    assert read(folder, CHANGED.id, 10) == CHANGED.data
    assert read(folder, again.id, 20) == again.data
    with pytest.raises(LargeObject) as refused:
        read(folder, again.id, 19)
    assert refused.value.size == 20


def test_a_base_far_ahead_is_found(folder: Path) -> None:
    base = entry_of(BLOB, BASE.data)
    between = Blob.from_string(bytes(range(256)))
    filler = entry_of(BLOB, between.data)
    distance = len(base) + len(filler) - 128
    near = entry_of(OFS_DELTA, delta_of(len(BASE.data), 10, COPY), base=bytes([128 | distance >> 7, distance & 127]))
    write_pack(folder, [(BASE.id, base), (between.id, filler), (CHANGED.id, near)])
    assert read(folder, CHANGED.id) == CHANGED.data


@pytest.mark.parametrize("packed", [False, True])
def test_an_object_that_claims_to_have_gigabytes_is_not_inflated(folder: Path, *, packed: bool) -> None:
    content = b"\0" * 20_000_000
    name = Blob.from_string(content).id
    if packed:
        write_pack(folder, [(name, entry_of(BLOB, content))])
    else:
        write_loose(folder, content)
    tracemalloc.start()
    try:
        with pytest.raises(LargeObject) as refused:
            read(folder, name, MOST)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert refused.value.size == len(content)


@pytest.mark.parametrize("size", [10, 30_000_000])
@pytest.mark.parametrize("packed", [False, True])
def test_an_object_that_does_not_have_the_size_that_it_claims_is_damaged(
    folder: Path, size: int, *, packed: bool
) -> None:
    content = b"\0" * 20_000_000
    name = Blob.from_string(content).id
    if packed:
        write_pack(folder, [(name, entry_of(BLOB, content, size=size))])
    else:
        write_loose(folder, content, header=b"blob %d" % size, name=name)
    with pytest.raises(DamagedObject, match=f"The object {name[:10].decode()} .* is damaged .*`git fsck`"):
        read(folder, name, 40_000_000)


@pytest.mark.parametrize(
    ("stored", "changes"),
    [(300_000_000, delta_of(300_000_000, 10)), (10, delta_of(10, 300_000_000)), (20, delta_of(20, 10) + b"\0" * 20)],
)
def test_what_is_inflated_on_the_way_to_a_small_object_is_limited_too(
    folder: Path, stored: int, changes: bytes
) -> None:
    claimed = 300_000_000 if stored == 20 else None
    middle = entry_of(REF_DELTA, changes, base=raw(BASE.id), size=claimed)
    last = entry_of(REF_DELTA, delta_of(10, 10), base=raw(CHANGED.id))
    name = Blob.from_string(b"small").id
    write_pack(folder, [(BASE.id, entry_of(BLOB, b"", size=stored)), (CHANGED.id, middle), (name, last)])
    with pytest.raises(LargeObject) as refused:
        read(folder, name)
    assert refused.value.size >= 300_000_000


def test_changes_that_lead_nowhere_or_in_a_circle_are_damage(folder: Path) -> None:
    other = Blob.from_string(b"other")
    circle = [
        (BASE.id, entry_of(REF_DELTA, delta_of(10, 10), base=raw(other.id))),
        (other.id, entry_of(REF_DELTA, delta_of(10, 10), base=raw(BASE.id))),
    ]
    nowhere = (CHANGED.id, entry_of(REF_DELTA, delta_of(10, 10), base=raw(b"1" * 40)))
    before = (b"2" * 40, entry_of(OFS_DELTA, delta_of(10, 10), base=b"\xff\x7f"))
    short = (b"3" * 40, entry_of(OFS_DELTA, b"", base=b"\x01"))
    write_pack(folder, [*circle, nowhere, before, short])
    for name in (BASE.id, CHANGED.id, b"2" * 40, b"3" * 40):
        with pytest.raises(DamagedObject):
            read(folder, name)


@pytest.mark.parametrize(
    "damage",
    [b"", b"no zlib", b"\x78\x9c", Blob.from_string(b"other").as_legacy_object()],
    ids=["empty", "no zlib", "cut off", "another object"],
)
def test_a_damaged_file_of_an_object_is_named(folder: Path, damage: bytes) -> None:
    repository(folder, BASE)
    path = loose_path(folder, BASE.id)
    path.chmod(0o600)
    path.write_bytes(damage)
    with pytest.raises(DamagedObject):
        read(folder, BASE.id)


@pytest.mark.parametrize("header", [b"blob", b"blob x", b"blurb 4", b"blob " + b"1" * 100, b"blob -4"])
def test_an_odd_header_is_damage(folder: Path, header: bytes) -> None:
    name = write_loose(folder, b"text", header=header)
    with pytest.raises(DamagedObject):
        read(folder, name)


def test_a_file_that_ends_too_early_is_damage(folder: Path) -> None:
    content = bytes(range(256)) * 2_000
    repository(folder, Blob.from_string(content))
    path = loose_path(folder, Blob.from_string(content).id)
    data = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DamagedObject):
        read(folder, Blob.from_string(content).id, len(content))


@pytest.mark.parametrize("name", [b"../../../etc/passwd", b"", b"z" * 40, b"0" * 39])
def test_what_is_no_hash_is_never_taken_as_a_path(folder: Path, name: bytes) -> None:
    with pytest.raises(DamagedObject):
        read(folder, name)


def test_a_damaged_pack_is_reported_for_whatever_it_may_hold(folder: Path) -> None:
    write_pack(folder, [(BASE.id, entry_of(BLOB, BASE.data))])
    (folder / ".git" / "objects" / "pack" / "pack-of-a-test.idx").write_bytes(b"\xfftOc\0\0\0\x02")
    with pytest.raises(DamagedObject):
        read(folder, BASE.id)
    with objects_in(folder) as objects, pytest.raises(DamagedObject):
        objects.beginning_with(BASE.id[:8])


def test_a_pack_that_is_replaced_meanwhile_does_not_stop_the_search(folder: Path) -> None:
    write_pack(folder, [(BASE.id, entry_of(BLOB, BASE.data))])
    pack = folder / ".git" / "objects" / "pack" / "pack-of-a-test.pack"
    with objects_in(folder) as objects:
        assert objects.beginning_with(BASE.id[:8]) == [BASE.id]  # reads the index alone
        pack.unlink()
        repository(folder, BASE)
        assert objects.read(BASE.id, MOST) == BASE


def test_objects_that_a_repository_borrows_are_read_even_if_two_borrow_from_each_other(
    folder: Path, tmp_path: Path
) -> None:
    lender = repository(tmp_path / "lender", BASE)
    for one, other in ((folder, lender), (lender, folder)):
        (one / ".git" / "objects" / "info" / "alternates").write_text(f"{other}/.git/objects\n")
    assert read(folder, BASE.id) == BASE.data
    with pytest.raises(MissingObject):
        read(folder, b"0" * 40)


def test_objects_named_by_sha_256_are_read(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    repo = Repo.init(str(tmp_path / "work"), object_format="sha256")
    repo.object_store.add_object(BASE)
    name = BASE.get_id(repo.object_store.object_format)
    repo.close()
    assert len(name) == 64
    assert read(tmp_path / "work", name) == BASE.data
