"""What mailboxes contribute."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.feature import Feature

if TYPE_CHECKING:
    from citemark.cli.command_tree import CommandTree
    from citemark.sources.kinds import SourceKind


def _kinds() -> "Sequence[SourceKind]":
    from citemark.features.maildir.kind import MAILDIR_KIND

    return (MAILDIR_KIND,)


def _commands(tree: "CommandTree") -> None:
    from citemark.features.maildir.command import add_maildir

    tree.add.command("maildir")(add_maildir)


MAILDIR_FEATURE = Feature("maildir", kinds=_kinds, commands=_commands)
