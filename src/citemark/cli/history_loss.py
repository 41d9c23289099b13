"""What a new setting of a source's history forgets, and the consent to that."""

from collections.abc import Sequence

from citemark.cli.command_context import CommandContext
from citemark.cli.consent import ASKING, Loss, Mode, agreed
from citemark.model.baselines import HistorySetting, Purged
from citemark.model.sources import Source
from citemark.services.app_context import AppContext
from citemark.services.source_history import SOURCE_HISTORY

FORGOTTEN_SHARE = 0.1
"""The share of a source's history that may be forgotten without asking."""


async def may_keep(
    run: CommandContext, app: AppContext, source: Source, setting: HistorySetting, mode: Mode = ASKING
) -> bool:
    """Whether a source may keep its history as set: if that removes more than a tenth of it, the person is asked.

    To keep none is asked for in any case, if there is any.
    """
    removed, revisions = await app.services.get(SOURCE_HISTORY).forgotten_by(source, setting)
    share = FORGOTTEN_SHARE if setting.keeps else 0
    return removed.revisions <= share * revisions or await agreed(run, loss_of_history([(source.name, removed)]), mode)


def loss_of_history(removed: Sequence[tuple[str, Purged]]) -> Loss:
    """The superseded revisions that sources would forget."""
    total = sum(purged.revisions for _, purged in removed)
    names = ", ".join(name for name, _ in removed)
    lines = [
        f"{name}: {purged.revisions:,} revisions ({purged.bytes:,} bytes of text)"
        + (f"; {purged.held:,} more are kept for baselines" if purged.held else "")
        for name, purged in removed
    ]
    data = {"revisions": total, "bytes": sum(purged.bytes for _, purged in removed)}
    return Loss(f"This forgets {total:,} superseded revisions of {names} for good", lines, data)
