"""Watches the folders of mailboxes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from watchfiles._rust_notify import RustNotify

from citemark.features.maildir.mail_folder import MailFolder
from citemark.features.maildir.mailboxes import LOCKS
from citemark.sources.folder_watch import Changes, listen, require_reports, start_listening

_OF_PROGRAMS = (*LOCKS, ".msf")
"""Files beside mailboxes that mail programs write for themselves."""


class MailWatcher:
    """Watches the folders that the last scan found: those of mails, and those in which mailboxes may appear."""

    def __init__(self, folder: MailFolder) -> None:
        self._folder = folder
        self._covered: tuple[str, ...] = ()

    def root_identity(self) -> str | None:
        """Return device and inode of the folder, or of the file; both change when another disk is mounted there."""
        try:
            info = self._folder.path.stat()
        except OSError:
            return None
        return f"{info.st_dev}:{info.st_ino}"

    def outdated(self) -> bool:
        """Tell whether mailboxes were added since `changes` began."""
        return not set(self._folder.watched) <= set(self._covered)

    async def changes(self) -> AsyncGenerator[None, None]:
        """Yield once when listening and after each change; ends when it has to be started again.

        Raises:
            UnwatchableSource: the limit of watches is reached, or the file system does not report changes.
        """
        self._covered = self._folder.watched
        async with aclosing(listen(self._start, relevant)) as heard:
            async for _ in heard:
                yield

    def _start(self) -> RustNotify | None:
        require_reports(self._folder.real_root(), "folder")
        return start_listening(self._covered)


def relevant(changes: Changes) -> bool:
    """Tell whether some of the changes may concern a mail."""
    return any(not path.endswith(_OF_PROGRAMS) for _, path in changes)
