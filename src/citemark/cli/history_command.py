"""`citemark history`: how long sources keep what was superseded."""

from collections.abc import Sequence
from typing import Any

from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.consent import ASKING, Mode, agreed
from citemark.cli.history_loss import FORGOTTEN_SHARE, loss_of_history, may_keep
from citemark.model.citation import iso
from citemark.services.app_context import AppContext
from citemark.services.asked_states import parse_moment
from citemark.services.history_keeping import ShownHistory, SourcePurge
from citemark.services.history_keys import HISTORY
from citemark.services.source_history import setting_of, setting_text


async def show_history(run: CommandContext, app: AppContext) -> int:
    """Show what is kept of each source."""
    histories = await app.services.get(HISTORY).show()
    nothing = "There are no sources yet; `citemark add FOLDER` adds one."
    run.show({"sources": [_data(each) for each in histories]}, "\n".join(map(_history_text, histories)) or nothing)
    return 0


async def keep_history(run: CommandContext, app: AppContext, name: str, how_long: str, mode: Mode = ASKING) -> int:
    """Set how long a source keeps what was superseded.

    A setting that removes more than a tenth of it needs the person's consent, and to keep none always does.

    Raises:
        InvalidArgument: there is no such source or setting, a baseline needs what would no longer be kept, or consent
            is needed and nobody can be asked.
    """
    setting = setting_of(how_long)
    source = await app.sources.named(name)
    if mode.dry_run:
        removed, _ = await app.services.get(HISTORY).forgotten_by(source, setting)
        loss = loss_of_history([(name, removed)])
        run.show(
            {"dry_run": True, "source": name, **(loss.data or {})}, f"{loss.text}\nNothing was changed (--dry-run)."
        )
        return 0
    if not await may_keep(run, app, source, setting, mode):
        return FAILED
    await app.services.get(HISTORY).keep(source, setting)
    run.show({"source": source.name, "keeps": setting.keeps, "days": setting.days}, f"{name} {setting_text(setting)}.")
    return 0


async def purge_history(
    run: CommandContext, app: AppContext, names: Sequence[str], before: str | None, mode: Mode = ASKING
) -> int:
    """Forget superseded states that are older than their source keeps, or than a moment.

    A moment may remove what a source is set to keep; more than a tenth of its history needs the person's consent.

    Raises:
        InvalidArgument: there is no such source or moment, or consent is needed and nobody can be asked.
    """
    until = None if before is None else parse_moment(before)
    sources = [await app.sources.named(name) for name in names] or await app.sources.all()
    if until is not None and not mode.dry_run:
        revisions = {each.source.source_id: each.kept.revisions for each in await app.services.get(HISTORY).show()}
        found = await app.services.get(HISTORY).purge(sources, until, dry_run=True)
        much = [
            each for each in found if each.purged.revisions > FORGOTTEN_SHARE * revisions.get(each.source.source_id, 0)
        ]
        loss = loss_of_history([(each.source.name, each.purged) for each in much])
        if much and not await agreed(run, loss, mode):
            return FAILED
    dry_run = mode.dry_run
    done = await app.services.get(HISTORY).purge(sources, until, dry_run=dry_run)
    data = {"dry_run": dry_run, "sources": [_purge_data(each) for each in done]}
    run.show(data, "\n".join(_purge_text(each, dry_run=dry_run) for each in done) or "There are no sources yet.")
    return 0


def _data(history: ShownHistory) -> dict[str, Any]:
    kept = history.kept
    return {
        "source": history.source.name,
        "keeps": kept.setting.keeps,
        "days": kept.setting.days,
        "superseded_revisions": kept.revisions,
        "whole_since": None if kept.since is None or not kept.setting.keeps else iso(kept.since),
        "baselines": list(kept.baselines),
    }


def _history_text(history: ShownHistory) -> str:
    kept = history.kept
    since = "" if kept.since is None or not kept.setting.keeps else f", complete since {iso(kept.since)}"
    named = f"; baselines: {', '.join(kept.baselines)}" if kept.baselines else ""
    return f"{history.source.name}: {setting_text(kept.setting)}; {kept.revisions} superseded revisions{since}{named}"


def _purge_data(purge: SourcePurge) -> dict[str, Any]:
    return {
        "source": purge.source.name,
        "before": None if purge.before is None else iso(purge.before),
        "revisions": purge.purged.revisions,
        "bytes": purge.purged.bytes,
        "held_by_baselines": purge.purged.held,
    }


def _purge_text(purge: SourcePurge, *, dry_run: bool) -> str:
    if purge.before is None:
        return f"{purge.source.name}: keeps all"
    verb = "would forget" if dry_run else "forgot"
    before = iso(purge.before.replace(microsecond=0))
    held = f"; {purge.purged.held} more kept for baselines" if purge.purged.held else ""
    text = f"{purge.purged.revisions} revisions ({purge.purged.bytes} bytes of text)"
    return f"{purge.source.name}: {verb} {text} superseded before {before}{held}"
