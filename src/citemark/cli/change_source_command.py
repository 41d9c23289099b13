"""`citemark source set` and `citemark remove`: changing a source without rebuilding its index, and removing it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from citemark.cli.add_source_command import check_recognition
from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.consent import ASKING, Loss, Mode, agreed
from citemark.cli.counting import counted
from citemark.cli.left_out_lines import quoted
from citemark.cli.preview_command import gone_lines, preview_data, show_preview
from citemark.cli.sync_command import sync_and_show
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.model.source_labels import NO_CHANGE, LabelChange
from citemark.model.sources import Source
from citemark.services.app_context import AppContext
from citemark.services.source_history import SOURCE_HISTORY
from citemark.services.source_preview import SourcePreview
from citemark.sources.kinds import SourceKinds


@dataclass(frozen=True, slots=True)
class SourceChange:
    """The arguments of `citemark source set`; None leaves a setting unchanged, an empty value removes it."""

    name: str | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    labels: LabelChange = NO_CHANGE
    url: str | None = None
    also: tuple[str, ...] | None = None
    """Patterns that are added to those set before; empty to remove all of them."""
    ignore: bool | None = None
    ocr: bool | None = None

    def of(self, source: Source, kinds: SourceKinds) -> Source:
        """The changed source.

        Raises:
            InvalidArgument: no change is requested, or sources of this kind have no such setting.
            ConfigurationError: a pattern cannot be read.
        """
        if self == SourceChange():
            raise InvalidArgument(
                "Say what to change: --name, --also, --include, --exclude, --tag, --about or another option."
            )
        if self.name is not None and not self.name.strip():
            raise InvalidArgument("A source needs a name.")
        changed = source if self.name in {None, source.name} else source.renamed(str(self.name))
        options = self._options()
        return replace(
            changed,
            config=kinds.of(source).options(source, options) if options else source.config,
            labels=self.labels.of(source.labels),
        )

    def _options(self) -> Mapping[str, Any]:
        """The options that are to change, as a configuration holds them."""
        patterns = {"include": self.include, "exclude": self.exclude, "also": self.also}
        changed: dict[str, Any] = {key: list(values) for key, values in patterns.items() if values is not None}
        others = {"ignore": self.ignore, "url": self.url, "ocr": self.ocr}
        return changed | {key: value for key, value in others.items() if value is not None}


async def change_source(
    run: CommandContext, app: AppContext, name: str, change: SourceChange, *, sync: bool, mode: Mode = ASKING
) -> int:
    """Change a source and update the index to match; texts and vectors that it still needs are kept.

    A change that would drop more than a tenth of what is indexed needs the person's consent.

    Raises:
        InvalidArgument: there is no such source, another source has the name, the kind has no such setting, text
            recognition is not installed, or consent is needed and nobody can be asked.
    """
    source = await app.sources.named(name)
    if change.ocr:
        check_recognition(app)
    changed = change.of(source, app.kinds)
    if changed == source:
        run.show({"changed": name, "name": name}, f"{name} is already set like this; nothing to do.")
        return 0
    if changed.config != source.config and (changed.kept_current or mode.dry_run):
        preview = await app.preview(changed)
        if mode.dry_run:
            return show_preview(run, {changed.name: preview}, f"{name} would be changed.")
        if preview.drops_much and not await agreed(run, loss_of_change(name, preview), mode):
            return FAILED
    elif mode.dry_run:
        run.show({"dry_run": True, "sources": {}}, f"{name} would be changed; its documents stay as they are.")
        return 0
    await app.sources.change(changed)
    if sync and changed.config != source.config and changed.kept_current:
        return await sync_and_show(run, app, {changed.source_id: changed})
    later = " The next sync follows." if changed.config != source.config else ""
    run.show({"changed": name, "name": changed.name}, f"Changed {changed.name}.{later}")
    return 0


async def pause_source(run: CommandContext, app: AppContext, name: str) -> int:
    """Have a source neither listed nor read until it goes on.

    Raises:
        InvalidArgument: there is no such source.
    """
    source = await app.sources.named(name)
    await app.sources.pause(source)
    run.show(
        {"source": source.name, "paused": True},
        f"Paused {source.name}: what it has is found as before, and nothing is read from it until "
        f"`citemark source resume {quoted(source.name)}`.",
    )
    return 0


async def resume_source(run: CommandContext, app: AppContext, name: str, *, sync: bool) -> int:
    """Have a source listed and read again, and update it at once.

    Raises:
        InvalidArgument: there is no such source.
    """
    source = await app.sources.named(name)
    await app.sources.resume(source)
    if sync and source.followed:
        return await sync_and_show(run, app, {source.source_id: replace(source, paused=False)})
    run.show({"source": source.name, "paused": False}, f"{source.name} goes on; the next sync updates it.")
    return 0


def loss_of_change(name: str, preview: SourcePreview) -> Loss:
    """What a change of settings takes out of the index."""
    counted = f"{preview.gone:,} of {preview.indexed:,} documents of {name}"
    lines = [line.strip() for line in gone_lines(preview)]
    if preview.left_out is not None and preview.left_out.any:
        lines.append(f"left out then: {preview.left_out.text}")
    if preview.reason:
        return Loss(f"{name} cannot be listed in full now ({preview.reason}); this may remove {counted}", lines)
    return Loss(f"This removes {counted} from the index", lines, preview_data(preview))


async def remove_source(run: CommandContext, app: AppContext, name: str, mode: Mode = ASKING) -> int:
    """Delete a source with everything that came from it, and revoke the app password of an account at its server.

    Raises:
        InvalidArgument: there is no such source, or something would be lost and nobody can be asked.
    """
    source = await app.sources.named(name)
    loss = await _removal(app, source)
    if mode.dry_run:
        run.show({"dry_run": True, **(loss.data or {})}, f"{loss.text}\nNothing was changed (--dry-run).")
        return 0
    holds = any((loss.data or {}).get(key) for key in ("documents", "superseded_revisions", "baselines"))
    if holds and not await agreed(run, loss, mode):
        return FAILED
    revoked = await _revoked(app, source) if app.kinds.of(source).password else None
    await app.sources.remove(source)
    lines = [f"Removed {name}, its texts, vectors and history."]
    if revoked is not None:
        lines.append(revoked.text)
    revocation = {} if revoked is None else {"password_revoked": not revoked.reason, "reason": revoked.reason}
    run.show({"removed": name, **revocation}, "\n".join(lines))
    return 0


async def _removal(app: AppContext, source: Source) -> Loss:
    """What goes with a source: documents, vectors, history, its part of baselines, and the password of an account."""
    status = next(each for each in await app.status.sources() if each.source_id == source.source_id)
    held = await app.services.get(SOURCE_HISTORY).held(source)
    data = {
        "source": source.name,
        "documents": status.documents,
        "chunks": status.chunks,
        "vectors": status.vectors,
        "superseded_revisions": held.revisions,
        "baselines": list(held.baselines),
    }
    lines = [f"{status.chunks:,} chunks and {status.vectors:,} vectors", f"{held.revisions:,} superseded revisions"]
    lines += [f"its part of the baseline {baseline}" for baseline in held.baselines]
    if app.kinds.of(source).password:
        lines.append("the app password of the account, which is revoked at its server")
    lines.append("The files of the source itself are not touched.")
    whose = "its" if status.documents == 1 else "their"
    parts = len(held.baselines)
    also = f", and its part of {counted(parts, 'baseline')}" if parts else ""
    removed = f"{counted(status.documents, 'document')} with {whose} history{also}"
    return Loss(f"This removes {source.name}: {removed}", lines, data)


@dataclass(frozen=True, slots=True)
class _Revoked:
    """Whether an app password was revoked at its server; `reason` is empty if it was."""

    reason: str

    @property
    def text(self) -> str:
        if not self.reason:
            return "Its app password was revoked at the server."
        return (
            f"Its app password could not be revoked: {self.reason} If your Nextcloud still shows it under Security, "
            "Devices & sessions, revoke it there."
        )


async def _revoked(app: AppContext, source: Source) -> _Revoked:
    try:
        await app.revoke_password(source)
    except CitemarkError as error:
        return _Revoked(error.message)
    return _Revoked("")
