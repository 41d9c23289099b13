"""`citemark add nextcloud` and `citemark login`: add an account, or renew its login."""

import asyncio
import getpass
import os
import sys
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from citemark.cli.add_source_command import language_asked, show_added, with_ocr
from citemark.cli.change_source_command import loss_of_change
from citemark.cli.command_context import FAILED, CommandContext
from citemark.cli.consent import ASKING, Mode, agreed
from citemark.cli.grant_command import issued_by
from citemark.cli.history_loss import loss_of_history, may_keep
from citemark.cli.preview_command import NOT_RECORDED, show_preview
from citemark.cli.qr_code import qr_code
from citemark.cli.sync_command import sync_and_show
from citemark.features.nextcloud.services.keys import LOGINS
from citemark.features.nextcloud.source.account import AccountSettings, known_apps
from citemark.features.nextcloud.source.login import LoginGrant, VerifiedAccount
from citemark.model.accounts import NEXTCLOUD
from citemark.model.baselines import HistorySetting
from citemark.model.errors import CitemarkError, InvalidArgument
from citemark.model.scope import Principal
from citemark.model.source_labels import UNLABELLED, SourceLabels
from citemark.model.sources import NewSource, Source
from citemark.services.app_context import AppContext
from citemark.services.people.source_grants import Grantee
from citemark.services.source_history import SOURCE_HISTORY, setting_of
from citemark.services.source_preview import SourcePreview

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


@dataclass(frozen=True, slots=True)
class LoginRequest:
    """How to log in: by a link, or with a user name and a password; a password of "-" is read from stdin."""

    user: str | None = None
    password: str | None = field(default=None, repr=False)
    browser: bool = True


@dataclass(frozen=True, slots=True)
class AccountRequest:
    """The arguments of `citemark add nextcloud`."""

    url: str
    login: LoginRequest
    name: str | None
    apps: tuple[str, ...]
    ca: Path | None
    rules: dict[str, list[str]]
    language: str
    labels: SourceLabels = UNLABELLED
    ocr: bool = False
    """Whether text in pictures and in scanned pages is recognised."""
    owner: Grantee = field(default_factory=Grantee)
    history: str | None = None
    """How long superseded states are kept; None keeps none for a new account, and leaves an existing one as it is."""
    mode: Mode = ASKING
    """How to go on if other rules of an account that is added again drop much of it."""


async def add_nextcloud_source(run: CommandContext, app: AppContext, request: AccountRequest, *, sync: bool) -> int:
    """Log in, record the account as a source and index it; the login of an existing account is renewed.

    With `dry_run`, only show what would be indexed, and store nothing.

    Raises:
        InvalidArgument: a value is wrong, the server does not accept the login, or an existing account would lose
            documents or history and nobody can be asked.
        SourceError: the server cannot be reached or trusted.
    """
    config: dict[str, Any] = {}
    setting = None if request.history is None else setting_of(request.history)
    owner = None if request.owner == Grantee() else issued_by(app, request.owner).person()
    if request.apps:
        config["apps"] = list(known_apps([name for names in request.apps for name in names.split(",")]))
    if rules := with_ocr(app, {key: values for key, values in request.rules.items() if values}, asked=request.ocr):
        config["files"] = rules
    ca = _certificates(request.ca)
    if ca is not None:
        config["ca"] = ca
    language, detects = await language_asked(app, request.language)
    server = await app.services.get(LOGINS).server_at(request.url, ca)
    if server.startswith("http:") and urlsplit(server).hostname not in {"localhost", "127.0.0.1", "::1"}:
        _print_note(f"{server} is not encrypted: anyone on the network path can read the password and all documents.")
    account = await _log_in(app, server, ca, request.login)
    config |= {"server": account.server, "login": account.login, "user": account.user}
    AccountSettings.from_config(config)
    new = NewSource(
        name=request.name or f"{account.user}@{urlsplit(account.server).netloc}",
        kind=NEXTCLOUD,
        config=config,
        labels=request.labels,
        language=language,
        detects_language=detects,
        keep_history=setting is not None and setting.keeps,
    )
    existing = await app.services.get(LOGINS).recorded(account, owner or Principal.local())
    if request.mode.dry_run:
        trial = _Trial(app, account, new, existing, setting)
        try:
            return show_preview(run, {trial.name: await trial.preview()}, await trial.heading())
        finally:
            if account.issued:
                await _forget_password(app, account, ca)
    if existing is not None and not await _may_change(run, app, existing, account, config, setting, request.mode):
        return FAILED
    source = await app.services.get(LOGINS).record(account, new, owner, named=request.name is not None)
    if setting is not None:
        await app.services.get(SOURCE_HISTORY).keep(source, setting)
    return await show_added(run, app, source, sync=sync)


def add_first_account(run: CommandContext, address: str) -> int:
    """Add the account of a newcomer, who logs in with a link; the exit code."""
    request = AccountRequest(
        url=address,
        login=LoginRequest(),
        name=None,
        apps=(),
        ca=None,
        rules={},
        language="auto",
    )
    return run.attempt(lambda context, app: add_nextcloud_source(context, app, request, sync=True))


@dataclass(frozen=True, slots=True)
class _Trial:
    """An account that is only tried: `new` is what would be recorded, unless it is recorded as `existing` already."""

    app: AppContext
    account: VerifiedAccount
    new: NewSource
    existing: Source | None
    setting: HistorySetting | None

    @property
    def name(self) -> str:
        """The name that the source has or would have."""
        return self.new.name if self.existing is None else self.existing.name

    async def preview(self) -> SourcePreview:
        """What a sync would find."""
        if self.existing is not None:
            return await self.app.preview(_with_rules(self.existing, self.new.config), self.account)
        tenant = Principal.local().tenant
        return await self.app.preview(Source(NOT_RECORDED, tenant, self.name, NEXTCLOUD, self.new.config), self.account)

    async def heading(self) -> str:
        """What would be done, and the history that would be forgotten."""
        if self.existing is None:
            return f"{self.name} would be added."
        changed = f"{self.name} would be logged in again and follow these rules."
        if self.setting is None:
            return changed
        removed, _ = await self.app.services.get(SOURCE_HISTORY).forgotten_by(self.existing, self.setting)
        return f"{changed} {loss_of_history([(self.name, removed)]).summary}." if removed.revisions else changed


def _with_rules(source: Source, config: Mapping[str, Any]) -> Source:
    """A source as it is once the account was added again with `config`."""
    return replace(source, config={**source.config, **config, "sync": True})


async def _forget_password(app: AppContext, account: VerifiedAccount, ca: str | None) -> None:
    """Have the server forget the app password that it issued for a login which nothing uses."""
    try:
        await app.services.get(LOGINS).revoke(account.server, LoginGrant(account.login, account.password), ca)
    except CitemarkError as error:
        _print_note(
            f"The app password of this login could not be revoked: {error.message} Revoke it in Nextcloud under "
            "Security, Devices & sessions."
        )


async def _may_change(
    run: CommandContext,
    app: AppContext,
    existing: Source,
    account: VerifiedAccount,
    config: Mapping[str, Any],
    setting: HistorySetting | None,
    mode: Mode,
) -> bool:
    """Whether an account that is added again may follow its new rules: the person is asked if they drop much."""
    if any(existing.config.get(key) != config[key] for key in ("apps", "files") if key in config):
        preview = await app.preview(_with_rules(existing, config), account)
        if preview.drops_much and not await agreed(run, loss_of_change(existing.name, preview), mode):
            return False
    return setting is None or await may_keep(run, app, existing, setting, mode)


async def renew_login(run: CommandContext, app: AppContext, name: str, request: LoginRequest, *, sync: bool) -> int:
    """Log in again to an account whose password was revoked.

    Raises:
        InvalidArgument: there is no such account, or the login belongs to another user.
        SourceError: the server cannot be reached or trusted.
    """
    source, settings = await app.services.get(LOGINS).account_named(name)
    account = await _log_in(app, settings.account.server, settings.ca, request)
    await app.services.get(LOGINS).renew(source, account)
    if sync:
        return await sync_and_show(run, app, {source.source_id: source})
    run.show({"renewed": name}, f"{name} is logged in again.")
    return 0


async def _log_in(app: AppContext, server: str, ca: str | None, request: LoginRequest) -> VerifiedAccount:
    if request.user is not None:
        password = await asyncio.to_thread(_password, request)
        return await app.services.get(LOGINS).with_password(server, ca, request.user, password)
    if request.password is not None:
        raise InvalidArgument("--app-password goes with --user; without both, you log in through a link.")

    async def show(link: str) -> None:
        _print_note(f"Open this link, log in and agree:\n\n  {link}\n")
        if sys.stderr.isatty():
            _print_note(f"Or open it on another device:\n\n{qr_code(link)}")
        _print_note("Waiting ...")
        if request.browser and (sys.platform == "darwin" or any(os.environ.get(name) for name in _DISPLAYS)):
            await asyncio.to_thread(webbrowser.open, link)

    return await app.services.get(LOGINS).by_link(server, ca, show)


def _password(request: LoginRequest) -> str:
    """The password that was given, or else one from the terminal or stdin; never an empty one."""
    value = request.password
    if value == "-" or (value is None and not sys.stdin.isatty()):
        value = sys.stdin.readline().rstrip("\r\n")
    elif value is None:
        value = getpass.getpass("App password: ", stream=sys.stderr)
    if not value:
        raise InvalidArgument("Give the app password with --app-password, CITEMARK_APP_PASSWORD or on stdin.")
    return value


def _certificates(path: Path | None) -> str | None:
    if path is None:
        return None
    if not path.expanduser().is_file():
        raise InvalidArgument(f"{path} is not a file; --ca takes a file of certificates in PEM form.")
    return str(path.expanduser().absolute())


def _print_note(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
