"""Commands about people who connect over HTTP, with their arguments and options."""

from typing import Annotated

import typer

from citemark.cli.command_context import Json, launcher_of

SourceName = Annotated[str, typer.Argument(help="Name of the source.")]
OneUser = Annotated[str | None, typer.Option("--user", help="The subject of a person at the authorization server.")]
OneGroup = Annotated[str | None, typer.Option("--group", help="A group, as the groups claim of tokens lists it.")]
OneToken = Annotated[str | None, typer.Option("--token", help="A name that `citemark token create` was given.")]
Everyone = Annotated[bool, typer.Option("--everyone", help="Everybody who has a token.")]
Issuer = Annotated[str | None, typer.Option(help="Of the user or group; oauth_issuer of the settings by default.")]


def source_grant(
    context: typer.Context,
    name: SourceName,
    *,
    user: OneUser = None,
    group: OneGroup = None,
    token: OneToken = None,
    everyone: Everyone = False,
    issuer: Issuer = None,
    json: Json = False,
) -> None:
    """Let other people read a source over HTTP."""
    from citemark.cli.grant_command import grant_source  # noqa: PLC0415
    from citemark.services.people.source_grants import Grantee  # noqa: PLC0415

    grantee = Grantee(user, group, token, everyone, issuer)
    launcher_of(context).command(json=json).run(lambda run, app: grant_source(run, app, name, grantee))


def source_revoke(
    context: typer.Context,
    name: SourceName,
    *,
    user: OneUser = None,
    group: OneGroup = None,
    token: OneToken = None,
    everyone: Everyone = False,
    issuer: Issuer = None,
    json: Json = False,
) -> None:
    """Take a grant back."""
    from citemark.cli.grant_command import revoke_source  # noqa: PLC0415
    from citemark.services.people.source_grants import Grantee  # noqa: PLC0415

    grantee = Grantee(user, group, token, everyone, issuer)
    launcher_of(context).command(json=json).run(lambda run, app: revoke_source(run, app, name, grantee))


def source_grants(context: typer.Context, name: SourceName, *, json: Json = False) -> None:
    """List who besides you may read a source."""
    from citemark.cli.grant_command import list_grants  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: list_grants(run, app, name))


def rotate_key(context: typer.Context, *, json: Json = False) -> None:
    """Encrypt the stored passwords of accounts again, with a new key."""
    from citemark.cli.token_command import rotate_stored_key  # noqa: PLC0415

    launcher_of(context).command(json=json).run(rotate_stored_key)


def token_create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Whom the token is for; tokens with one name belong to one person.")],
    *,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="semantic:read (the default) or semantic:write, to switch accounts; repeatable."),
    ] = None,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="Days until it expires; never by default.")] = None,
    json: Json = False,
) -> None:
    """Make a token for `citemark serve --http` and show it once."""
    from citemark.cli.token_command import create_token  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: create_token(run, app, name, tuple(scope or ()), days))


def token_list(context: typer.Context, *, json: Json = False) -> None:
    """List the tokens that were made, without the tokens themselves."""
    from citemark.cli.token_command import list_tokens  # noqa: PLC0415

    launcher_of(context).command(json=json).run(list_tokens)


def token_revoke(
    context: typer.Context,
    which: Annotated[str, typer.Argument(help="Id of a token, or a name: then all tokens of that name.")],
    *,
    json: Json = False,
) -> None:
    """Revoke a token; running servers refuse it within two seconds."""
    from citemark.cli.token_command import revoke_token  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: revoke_token(run, app, which))
