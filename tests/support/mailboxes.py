"""Mailboxes as mail programs write them."""

from collections.abc import Iterable
from pathlib import Path

from citemark.model.ids import NativeId

_SEPARATOR = b"From list@example.org Tue Mar  3 10:00:00 2026\n"


def mail(
    words: str, *, subject: str = "A subject", message_id: str = "", answers: str = "", references: tuple[str, ...] = ()
) -> bytes:
    """A message; ids are given without their brackets."""
    fields = {
        "From": "Ada <ada@example.org>",
        "To": "ben@example.org",
        "Subject": subject,
        "Date": "Tue, 03 Mar 2026 10:00:00 +0000",
        "Message-ID": f"<{message_id}>" if message_id else "",
        "In-Reply-To": f"<{answers}>" if answers else "",
        "References": "\n ".join(f"<{each}>" for each in references),
    }
    head = "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
    return f"{head}Content-Type: text/plain; charset=utf-8\n\n{words}\n".encode()


def maildir(path: Path) -> Path:
    """An empty Maildir."""
    for part in ("tmp", "new", "cur"):
        (path / part).mkdir(parents=True)
    return path


def deliver(root: Path, name: str, data: bytes, *, box: str = "") -> NativeId:
    """Put a mail into a Maildir as servers do: written beside it, then moved; one of the same name is replaced."""
    fresh = root / box / "tmp" / name
    fresh.write_bytes(data)
    there = [*(root / box).glob(f"cur/{name}*"), *(root / box).glob(f"new/{name}*")]
    fresh.rename(there[0] if there else root / box / "new" / name)
    return NativeId(f"{box}/{name}" if box else name)


def mbox(mails: Iterable[bytes]) -> bytes:
    """Mails in one file, each after a line of its own and before a blank one."""
    return b"".join(_SEPARATOR + each.replace(b"\nFrom ", b"\n>From ") + b"\n" for each in mails)
