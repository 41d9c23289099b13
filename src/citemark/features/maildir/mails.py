"""A mail as it is listed: where it is, its version, and its place in a thread."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from citemark.features.maildir.headers import MailHeaders
from citemark.features.maildir.mbox_file import MboxMail
from citemark.model.ids import NativeId, Version

MAIL = "mail"
"""The type of the documents."""

ANSWERS = "answers"
"""The type of the edge from a mail to the one that it answers."""

_THREAD = "~"


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail.

    Attributes:
        box: the path of its mailbox below the root; "" for the root.
        name: unique in its mailbox: a file's name without its flags, or the hash of a mail in an mbox.
        state: changes whenever the bytes may have changed.
        size: its bytes.
        headers: what puts it into a thread.
        modified_at: when it was written, else when its file was.
        file: the name of its file below the mailbox; "" in an mbox.
        place: its place in an mbox.
    """

    box: str
    name: str
    state: str
    size: int
    headers: MailHeaders
    modified_at: datetime | None
    file: str = ""
    place: MboxMail | None = None

    @property
    def native_id(self) -> NativeId:
        """The path of its mailbox with its name."""
        return native_id_of(self.box, self.name)


def native_id_of(box: str, name: str) -> NativeId:
    """The id of a mail by its mailbox and its name."""
    return NativeId(f"{box}/{name}" if box else name)


def split_id(native_id: str) -> tuple[str, str]:
    """The mailbox and the name of a mail by its id."""
    box, _, name = native_id.rpartition("/")
    return box, name


def version_in_thread(state: str, answered: str | None) -> Version:
    """The version of a mail that answers another, or none: it is read again when the other one comes or goes."""
    if answered is None:
        return Version(state)
    return Version(f"{state}{_THREAD}{blake2b(answered.encode(), digest_size=4).hexdigest()}")


def state_of(version: str) -> str:
    """The part of a version that stands for the bytes of the mail."""
    return version.partition(_THREAD)[0]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a source holds at one moment.

    Attributes:
        mails: by their ids, in the order of mailboxes and names.
        by_message_id: the ids of the mails that have a Message-ID; there are several where a mail was copied.
        unsettled: why not everything is listed; "" if it is.
        misnamed: files whose names cannot be written down.
        folders: what a watcher listens to, as real paths.
    """

    mails: Mapping[NativeId, Mail]
    by_message_id: Mapping[str, list[NativeId]]
    unsettled: str = ""
    misnamed: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    def answered_by(self, mail: Mail) -> NativeId | None:
        """The mail that a mail answers, else the nearest one before it that is here; one in its own mailbox first."""
        for message_id in mail.headers.ancestors:
            here = [each for each in self.by_message_id.get(message_id, ()) if each != mail.native_id]
            if here:
                return next((each for each in here if split_id(each)[0] == mail.box), here[0])
        return None

    def version_of(self, mail: Mail) -> Version:
        """The version under which a mail is listed."""
        return version_in_thread(mail.state, self.answered_by(mail))
