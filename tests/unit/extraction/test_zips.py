"""Zip files from strangers: sound ones open, the others are refused with what is wrong."""

import struct
from io import BytesIO
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from citemark.extraction import zips
from citemark.extraction.zips import open_zip
from citemark.model.errors import SkippableSourceError


def packed(entries: dict[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(ZipInfo(name), data, method)
    return out.getvalue()


def test_a_valid_archive_opens_with_its_entries() -> None:
    with open_zip(packed({"word/document.xml": b"<a/>", "media/image.png": bytes(range(256)) * 9})) as archive:
        assert archive.read("word/document.xml") == b"<a/>"
        assert len(archive.read("media/image.png")) == 2304


def test_a_dense_but_small_archive_opens() -> None:
    assert open_zip(packed({"sheet.xml": b"<c>0</c>" * 1_000_000})).namelist() == ["sheet.xml"]


def test_a_bomb_is_refused_by_its_ratio() -> None:
    with pytest.raises(SkippableSourceError, match="zip bomb"):
        open_zip(packed({"a.xml": bytes(64 * 1024 * 1024)}))


def test_too_many_bytes_are_refused_by_their_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zips, "MOST_INFLATED_BYTES", 5000)
    with pytest.raises(SkippableSourceError, match="inflates to 6,000 bytes"):
        open_zip(packed({name: bytes(1000) for name in "abcdef"}))


def test_entries_that_share_their_bytes_are_counted_each() -> None:
    """The bomb without nesting: one kernel, named by many entries of the directory."""
    kernel = packed({"a.xml": bytes(8 * 1024 * 1024)})
    end = kernel.rindex(b"PK\x05\x06")
    directory = kernel[kernel.rindex(b"PK\x01\x02") : end]
    body = kernel[: end - len(directory)]
    counts = struct.pack("<HHLL", 50, 50, len(directory) * 50, len(body))
    with pytest.raises(SkippableSourceError, match="inflates to 419,430,400 bytes"):
        open_zip(body + directory * 50 + b"PK\x05\x06\0\0\0\0" + counts + b"\0\0")


def test_an_entry_that_inflates_to_more_than_it_declares_is_refused() -> None:
    data = packed({"a.xml": bytes(100_000)})
    lie = data.replace(struct.pack("<L", 100_000), struct.pack("<L", 1_000))
    assert lie != data
    with pytest.raises(SkippableSourceError, match="damaged"):
        open_zip(lie)


def test_an_entry_that_inflates_to_less_than_it_declares_is_refused() -> None:
    data = packed({"a.xml": b"text" * 100})
    with pytest.raises(SkippableSourceError, match="damaged"):
        open_zip(data.replace(struct.pack("<L", 400), struct.pack("<L", 4_000)))


def test_too_many_entries_are_refused_before_the_directory_is_read() -> None:
    with pytest.raises(SkippableSourceError, match="10,000 entries"):
        open_zip(b"PK\x01\x02" * (zips.MOST_ENTRIES + 1))


@pytest.mark.parametrize("name", ["../a.xml", "/etc/passwd", "a\\..\\b", "c:\\x", "a/" * 40 + "b"])
def test_paths_that_lead_out_or_too_deep_are_refused(name: str) -> None:
    with pytest.raises(SkippableSourceError, match="path that no document has"):
        open_zip(packed({name: b"x"}))


def test_compression_without_a_size_bound_is_refused() -> None:
    with pytest.raises(SkippableSourceError, match="method"):
        open_zip(packed({"a.xml": b"x" * 1000}, ZIP_BZIP2))


def test_an_encrypted_entry_is_named_as_such() -> None:
    data = bytearray(packed({"a.xml": b"x"}, ZIP_STORED))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(SkippableSourceError, match="encrypted"):
        open_zip(bytes(data))


def test_encrypted_and_old_office_files_are_distinguished() -> None:
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600)
    with pytest.raises(SkippableSourceError, match="encrypted"):
        open_zip(head + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(SkippableSourceError, match="before 2007"):
        open_zip(head)


def test_messages_about_damage_are_short_readable_and_name_the_next_step() -> None:
    data = bytearray(packed({"word/document.xml": bytes(range(256)) * 200}))
    data[26:30] = b"\xff\xff\xff\xff"  # the entry's own head now claims a name and a remark of 64 KiB each
    for broken in (bytes(data), bytes(data[:-30])):
        with pytest.raises(SkippableSourceError) as refused:
            open_zip(broken)
        said = refused.value.message
        assert said.isprintable()
        assert len(said) < 250
        assert "save it again" in said


@pytest.mark.parametrize("cut", [0, 10, -4, -30])
def test_a_cut_off_archive_is_damaged(cut: int) -> None:
    with pytest.raises(SkippableSourceError, match="damaged"):
        open_zip(packed({"a.xml": b"x" * 1000, "b.xml": b"y" * 1000})[:cut])


def test_no_damage_to_any_byte_raises_anything_else() -> None:
    data = packed({"a.xml": b"some text " * 20, "b/c.xml": b"more"})
    for place in range(len(data)):
        for flip in (0x01, 0x80, 0xFF):
            broken = bytearray(data)
            broken[place] ^= flip
            try:
                open_zip(bytes(broken)).close()
            except SkippableSourceError:
                continue
