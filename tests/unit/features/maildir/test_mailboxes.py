"""Which mailboxes are found below a folder."""

from pathlib import Path

import pytest
from tests.support.mailboxes import mail, maildir, mbox

from citemark.features.maildir.mailboxes import find_boxes


def test_mailboxes_are_found_as_servers_and_mail_programs_nest_them(tmp_path: Path) -> None:
    for box in (".", ".Sent", ".Archive.2025", "lists/python"):  # Maildir++, and folders in folders
        maildir(tmp_path / box) if box != "." else maildir(tmp_path)
    (tmp_path / "Local Folders" / "Inbox.sbd").mkdir(parents=True)  # Thunderbird
    for name in ("Inbox", "Inbox.sbd/Work"):
        (tmp_path / "Local Folders" / name).write_bytes(mbox([mail("Words")]))
    (tmp_path / "Local Folders" / "Inbox.msf").write_text("// <!-- <mdb:mork")
    (tmp_path / "Local Folders" / "Inbox.lock").write_bytes(mbox([mail("Words")]))
    (tmp_path / "cur" / "1.host:2,S").write_bytes(mail("Words"))
    found = find_boxes(str(tmp_path))
    assert sorted(found.maildirs) == ["", ".Archive.2025", ".Sent", "lists/python"]
    assert sorted(found.mboxes) == ["Local Folders/Inbox", "Local Folders/Inbox.sbd/Work"]
    assert not found.unread


def test_links_and_pipes_below_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = maildir(tmp_path / "outside")
    (tmp_path / "Archive").write_bytes(mbox([mail("Words")]))
    root = tmp_path / "root"
    root.mkdir()
    (root / "linked").symlink_to(outside)
    (root / "Archive").symlink_to(tmp_path / "Archive")
    found = find_boxes(str(root))
    assert (found.maildirs, found.mboxes) == ([], [])


def test_a_file_may_be_the_only_mailbox(tmp_path: Path) -> None:
    path = tmp_path / "Archive.mbox"
    path.write_bytes(mbox([mail("Words")]))
    assert find_boxes(str(path)).mboxes == [""]
    path.write_bytes(b"")  # everything was deleted
    assert find_boxes(str(path)).mboxes == [""]
    path.write_bytes(b"no mail")
    assert find_boxes(str(path)).mboxes == []


def test_folders_that_nest_without_end_are_named_and_not_entered(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(40):
        deep /= "d"
    deep.mkdir(parents=True)
    (unread,) = find_boxes(str(tmp_path)).unread
    assert "nested more than 32 folders deep" in unread


def test_a_folder_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        find_boxes(str(tmp_path / "none"))
