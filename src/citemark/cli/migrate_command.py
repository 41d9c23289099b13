"""`citemark migrate`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.cli.command_context import CommandContext, Launcher

if TYPE_CHECKING:
    from citemark.settings import Settings


def migrate(run: CommandContext, entry: Launcher, writers: Sequence[str], readers: Sequence[str]) -> int:
    """Bring the schema up to date, let roles use it, and say what they may do."""

    async def work(settings: "Settings") -> int:
        schema = await entry.migrate(settings, writers, readers)
        lines = [
            f"The index has schema {schema}.",
            *(f"{role} may read and write it, and changes no table." for role in writers),
            *(f"{role} may read what questions read on a replica." for role in readers),
        ]
        run.show({"schema": schema, "writers": list(writers), "readers": list(readers)}, "\n".join(lines))
        return 0

    return run.attempt_without_index(work)
