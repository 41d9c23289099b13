"""`citemark source grant`, `revoke` and `grants`: who besides the owner may read a source."""

from dataclasses import replace

from citemark.cli.command_context import CommandContext
from citemark.services.app_context import AppContext
from citemark.services.people.source_grants import Grantee


async def grant_source(run: CommandContext, app: AppContext, name: str, grantee: Grantee) -> int:
    """Let a person, a group or everyone read a source.

    Raises:
        InvalidArgument: there is no such source, it is an account, or nobody is named.
    """
    issued = issued_by(app, grantee)
    await app.grants.grant(await app.sources.named(name), issued)
    run.show({"source": name, "granted": issued.stored()}, f"{name} may be read by {issued.stored()}.")
    return 0


async def revoke_source(run: CommandContext, app: AppContext, name: str, grantee: Grantee) -> int:
    """Revoke a grant.

    Raises:
        InvalidArgument: there is no such source or grant.
    """
    issued = issued_by(app, grantee)
    await app.grants.revoke(await app.sources.named(name), issued)
    run.show({"source": name, "revoked": issued.stored()}, f"{issued.stored()} may no longer read {name}.")
    return 0


async def list_grants(run: CommandContext, app: AppContext, name: str) -> int:
    """List the grants of a source.

    Raises:
        InvalidArgument: there is no such source.
    """
    grants = await app.grants.of(await app.sources.named(name))
    lines = [f"{grant.grantee}: {grant.reason}" for grant in grants]
    shown = [{"grantee": grant.grantee, "reason": grant.reason} for grant in grants]
    run.show({"source": name, "grants": shown}, "\n".join(lines) or f"Only you can read {name}.")
    return 0


def issued_by(app: AppContext, grantee: Grantee) -> Grantee:
    """The grantee, with the issuer of the settings if none was given."""
    return replace(grantee, issuer=grantee.issuer or app.settings.oauth_issuer)
