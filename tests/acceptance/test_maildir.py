"""`citemark add maildir` as a person types it."""

from pathlib import Path

from tests.acceptance.commands import Commands
from tests.acceptance.served import index
from tests.support.mailboxes import deliver, mail, maildir
from tests.support.patience import HANG_SECONDS


def test_a_mailbox_can_be_tried_before_it_is_added(commands: Commands, indexed_folder: Path, tmp_path: Path) -> None:
    root = maildir(tmp_path / "letters")
    deliver(root, "1.host", mail("Words"))
    environment = index(indexed_folder).environment
    done = commands.run("add", "maildir", str(root), "--dry-run", env=environment, timeout=HANG_SECONDS)
    assert done.returncode == 0, done.stderr
    assert "letters: 1 documents, 1 new" in done.stdout
    none = commands.run("add", "maildir", str(tmp_path / "none"), env=environment, timeout=HANG_SECONDS)
    assert none.returncode != 0
    assert "No such file" in none.stderr + none.stdout
