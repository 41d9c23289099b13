"""`citemark init`."""

from typing import TYPE_CHECKING

from citemark.cli.command_context import CommandContext, Launcher

if TYPE_CHECKING:
    from citemark.settings import Settings


def init(run: CommandContext, entry: Launcher, partitions: int) -> int:
    """Make an index with nothing in it, and say what comes next."""

    async def work(settings: "Settings") -> int:
        await entry.make_new(settings, partitions)
        how = f" in {partitions} partitions" if partitions else ""
        run.show(
            {"partitions": partitions},
            f"There is a new index{how}, with nothing in it yet. `citemark add FOLDER` adds a folder of documents.",
        )
        return 0

    return run.attempt_without_index(work)
