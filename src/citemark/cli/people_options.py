"""Commands about people who come over HTTP, with their arguments and options."""

from typing import Annotated

import typer

from citemark.cli.command_context import Json, launcher_of


def token_create(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Whom the token stands for; tokens of one name are one person's.")],
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
    """Revoke a token, effective immediately on running servers."""
    from citemark.cli.token_command import revoke_token  # noqa: PLC0415

    launcher_of(context).command(json=json).run(lambda run, app: revoke_token(run, app, which))
