"""`citemark token` and `citemark rotate-key`: access tokens, and the key of stored passwords."""

from collections.abc import Sequence

from citemark.cli.command_context import CommandContext
from citemark.model.citation import iso
from citemark.model.scope import READ
from citemark.model.static_token import AccessToken
from citemark.services.app_context import AppContext


async def create_token(run: CommandContext, app: AppContext, name: str, scopes: Sequence[str], days: int | None) -> int:
    """Make a token and show it; it cannot be shown again.

    Raises:
        InvalidArgument: the name or a scope is malformed.
    """
    token, record = await app.tokens.create(name, scopes or (READ,), days)
    lines = [
        f"{token}",
        "",
        f"It is for {record.name}, allows {' and '.join(sorted(record.scopes))}, and expires {_end(record)}.",
        "It is not shown again. Clients send the header Authorization: Bearer TOKEN.",
        f"Sources are granted with `citemark source grant SOURCE --token {record.name}`.",
    ]
    run.show(_row(record) | {"token": token}, "\n".join(lines))
    return 0


async def list_tokens(run: CommandContext, app: AppContext) -> int:
    """List the tokens that were made."""
    tokens, now = await app.tokens.all(), app.tokens.now()
    lines = [
        f"{token.token_id}  {token.name}  {token.state(now)}  {' '.join(sorted(token.scopes))}  expires {_end(token)}"
        for token in tokens
    ]
    shown = [_row(token) | {"state": token.state(now)} for token in tokens]
    run.show({"tokens": shown}, "\n".join(lines) or "No tokens yet; `citemark token create NAME` creates one.")
    return 0


async def revoke_token(run: CommandContext, app: AppContext, which: str) -> int:
    """Revoke a token, or all tokens of a name.

    Raises:
        InvalidArgument: there is no valid token of that name or id.
    """
    ended = await app.tokens.revoke(which)
    run.show({"revoked": list(ended)}, f"Revoked {', '.join(ended)}.")
    return 0


async def rotate_stored_key(run: CommandContext, app: AppContext) -> int:
    """Re-encrypt the passwords of accounts.

    Raises:
        ConfigurationError: there is no usable key, or it cannot be replaced.
    """
    rotated = await app.rotate_key()
    passwords = "1 password is" if rotated == 1 else f"{rotated} passwords are"
    lines = [f"{passwords} encrypted with the new key."]
    if app.settings.secret_key is not None:
        lines.append("Remove the old keys from CITEMARK_SECRET_KEY now: only the first one is needed.")
    run.show({"rotated": rotated}, " ".join(lines))
    return 0


def _row(token: AccessToken) -> dict[str, object]:
    return {
        "id": token.token_id,
        "name": token.name,
        "scopes": sorted(token.scopes),
        "created": iso(token.created_at),
        "expires": _end(token),
    }


def _end(token: AccessToken) -> str:
    return "never" if token.expires_at is None else iso(token.expires_at)
