"""`citemark source set` and `citemark remove`: changing a source without rebuilding its index, and removing it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from citemark.cli.command_context import CommandContext
from citemark.cli.sync_command import sync_and_show
from citemark.model.accounts import NEXTCLOUD
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.model.sources import Source
from citemark.services.app_context import AppContext
from citemark.sources.docs.settings import DOCS, DocsSettings
from citemark.sources.nextcloud.account import AccountSettings


@dataclass(frozen=True, slots=True)
class SourceChange:
    """The arguments of `citemark source set`; None leaves a setting unchanged, an empty value removes it."""

    name: str | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    project_id: str | None = None
    environment: str | None = None
    repository: str | None = None
    url: str | None = None

    def of(self, source: Source) -> Source:
        """The changed source.

        Raises:
            InvalidArgument: no change is requested, or sources of this kind have no such setting.
            ConfigurationError: a pattern cannot be read.
        """
        if self == SourceChange():
            raise InvalidArgument("Say what to change: --name, --include, --exclude, --tag or another option.")
        if self.name is not None and not self.name.strip():
            raise InvalidArgument("A source needs a name.")
        changed = source if self.name in {None, source.name} else source.renamed(str(self.name))
        return replace(
            changed,
            config=_configured(source, {"include": self.include, "exclude": self.exclude}, self.url),
            tags=source.tags if self.tags is None else self.tags,
            project_id=_set(self.project_id, source.project_id),
            environment=_set(self.environment, source.environment),
            repository=_set(self.repository, source.repository),
        )


async def change_source(run: CommandContext, app: AppContext, name: str, change: SourceChange, *, sync: bool) -> int:
    """Change a source and update the index to match; texts and vectors that it still needs are kept.

    Raises:
        InvalidArgument: there is no such source, another source has the name, or the kind has no such setting.
    """
    source = await app.sources.named(name)
    changed = change.of(source)
    if changed == source:
        run.show({"changed": name, "name": name}, f"{name} is already set like this; nothing to do.")
        return 0
    await app.sources.change(changed)
    if sync and changed.config != source.config and changed.followed:
        return await sync_and_show(run, app, {changed.source_id: changed})
    later = " The next sync follows." if changed.config != source.config else ""
    run.show({"changed": name, "name": changed.name}, f"Changed {changed.name}.{later}")
    return 0


def _set(value: str | None, before: str | None) -> str | None:
    return before if value is None else value or None


def _configured(source: Source, patterns: Mapping[str, tuple[str, ...] | None], url: str | None) -> Mapping[str, Any]:
    """The configuration with its patterns and address changed, checked as it is when a source is opened."""
    changed = {key: list(values) for key, values in patterns.items() if values is not None}
    if not changed and url is None:
        return source.config
    match source.kind:
        case kind if kind == DOCS:
            config = _without_empty({**source.config, **changed, **({} if url is None else {"url": url})})
            DocsSettings.from_config(config)
        case kind if kind == NEXTCLOUD and url is None:
            rules = _without_empty({**source.config.get("files", {}), **changed})
            config = _without_empty({**source.config, "files": rules})
            AccountSettings.from_config(config)
        case _:
            raise InvalidArgument(
                f"{source.name!r} is of kind {source.kind}, which has no --include, --exclude or --url to set."
                if source.kind != NEXTCLOUD
                else f"{source.name!r} is an account: the addresses of its documents are those of its server."
            )
    return config


def _without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in ("", [], {})}


async def remove_source(run: CommandContext, app: AppContext, name: str) -> int:
    """Delete a source with everything that came from it, and revoke the app password of an account at its server."""
    source = await app.sources.named(name)
    revoked = await _revoked(app, source) if source.kind == NEXTCLOUD else None
    await app.sources.remove(source)
    lines = [f"Removed {name}, its texts, vectors and history."]
    if revoked is not None:
        lines.append(revoked.text)
    revocation = {} if revoked is None else {"password_revoked": not revoked.reason, "reason": revoked.reason}
    run.show({"removed": name, **revocation}, "\n".join(lines))
    return 0


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
