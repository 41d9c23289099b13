"""Commands about Nextcloud accounts, with arguments and options; what runs is imported then."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from citemark.cli.adding_options import LoggingInOptions
from citemark.cli.command_context import Json, Quiet, launcher_of
from citemark.cli.label_options import OwnLabelOptions
from citemark.cli.option_groups import takes_groups
from citemark.cli.source_options import KEPT, Ocr

HistoryOfAccount = Annotated[str | None, typer.Option("--history", help=f"{KEPT} A new account keeps none.")]
User = Annotated[str | None, typer.Option("--user", help="User name, to log in without a link.")]
AppPassword = Annotated[
    str | None,
    typer.Option("--app-password", envvar="CITEMARK_APP_PASSWORD", help="App password of the user; - reads stdin."),
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the login link without opening it.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginOptions:
    """How to log in."""

    user: User = None
    app_password: AppPassword = field(default=None, repr=False)
    no_browser: NoBrowser = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstLoginOptions(LoginOptions):
    """How to log in to a server that is not known yet."""

    ca: Annotated[Path | None, typer.Option(help="Certificates (PEM) to trust besides the system's.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentOptions:
    """What of an account is taken: its apps, and which of its files."""

    apps: Annotated[
        list[str] | None, typer.Option(help="notes, calendar, contacts, deck, files: only these (commas, repeatable).")
    ] = None
    include: Annotated[list[str] | None, typer.Option(help="Glob of files to take (repeatable).")] = None
    exclude: Annotated[list[str] | None, typer.Option(help="Glob of files to leave out (repeatable).")] = None
    file_tag: Annotated[list[str] | None, typer.Option(help="Only files with this tag in Nextcloud (repeatable).")] = (
        None
    )
    file_type: Annotated[list[str] | None, typer.Option(help="Only files of this type, such as .pdf (repeatable).")] = (
        None
    )

    ocr: Ocr = False

    @property
    def rules(self) -> dict[str, list[str]]:
        """The rules for files that were typed, as a configuration holds them."""
        rules = {"include": self.include, "exclude": self.exclude, "tags": self.file_tag, "types": self.file_type}
        return {key: list(values) for key, values in rules.items() if values}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerOptions:
    """Whose an account is; of the person who adds it unless another is named."""

    for_user: Annotated[
        str | None, typer.Option(help="Whose it is, if not yours: their subject at the authorization server.")
    ] = None
    for_token: Annotated[str | None, typer.Option(help="Whose it is, if not yours: the name of their token.")] = None


@takes_groups
def add_nextcloud(
    context: typer.Context,
    url: Annotated[str, typer.Argument(help="Address of the Nextcloud, as in the browser.")],
    *,
    entry: FirstLoginOptions,
    content: ContentOptions,
    name: Annotated[str | None, typer.Option(help="Name of the source; user@server by default.")] = None,
    labels: OwnLabelOptions,
    language: Annotated[
        str, typer.Option(help="Language of all documents, or `auto` to detect it from each one's words.")
    ] = "auto",
    history: HistoryOfAccount = None,
    owner: OwnerOptions,
    way: LoggingInOptions,
) -> None:
    """Add your account on a Nextcloud and index it; you log in through a link unless --user is given."""
    from citemark.features.nextcloud.commands.nextcloud_command import (
        AccountRequest,
        LoginRequest,
        add_nextcloud_source,
    )
    from citemark.services.people.source_grants import Grantee

    request = AccountRequest(
        url=url,
        login=LoginRequest(entry.user, entry.app_password, browser=not entry.no_browser),
        name=name,
        apps=tuple(content.apps or ()),
        ca=entry.ca,
        rules=content.rules,
        ocr=content.ocr,
        labels=labels.labels,
        language=language,
        owner=Grantee(user=owner.for_user, token=owner.for_token),
        history=history,
        mode=way.mode,
    )
    launcher_of(context).reading(json=way.json, quiet=way.quiet).run(
        lambda run, app: add_nextcloud_source(run, app, request, sync=not way.no_sync)
    )


@takes_groups
def login(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of the Nextcloud source.")],
    *,
    entry: LoginOptions,
    no_sync: Annotated[bool, typer.Option("--no-sync", help="Only log in; index later.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Log in again to a Nextcloud account whose app password was revoked."""
    from citemark.features.nextcloud.commands.nextcloud_command import LoginRequest, renew_login

    request = LoginRequest(entry.user, entry.app_password, browser=not entry.no_browser)
    launcher_of(context).reading(json=json, quiet=quiet).run(
        lambda run, app: renew_login(run, app, name, request, sync=not no_sync)
    )
