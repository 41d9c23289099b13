"""The pages for a browser, as part of the server over HTTP."""

from typing import TYPE_CHECKING

from citemark.app.authentication import code_flow
from citemark.app.features import pages_of
from citemark.identity.token_claims import TokenReader
from citemark.services.people.call_limits import CallLimits
from citemark.settings import Settings
from citemark.tools.http_app import WELCOME
from citemark.tools.http_guards import BearerToken
from citemark.web.asked import PageIndex
from citemark.web.return_address import RETURN_PATH
from citemark.web.routes import Pages
from citemark.web.sign_in import SignIns

if TYPE_CHECKING:
    from citemark.web.sign_in_elsewhere import SignInElsewhere


def web_pages(
    settings: Settings,
    index: PageIndex,
    limits: CallLimits,
    token: str | None,
    reader: TokenReader | None,
    address: str,
) -> Pages:
    """The pages of a server.

    Args:
        settings: say how browsers elsewhere reach it.
        index: opens while the server already runs.
        limits: how much of the server each person gets.
        token: the owner's; None if everybody is served as the owner.
        reader: maps the tokens of other people to principals.
        address: of the server on this machine.
    """
    owner = BearerToken(token)
    encrypted = (settings.http_resource or "").startswith("https:")
    sign_ins = SignIns(owner.matches, reader, encrypted=encrypted)
    elsewhere = None if reader is None else _elsewhere(settings)
    return Pages(index, sign_ins, WELCOME, address, limits, pages_of(), elsewhere=elsewhere)


def _elsewhere(settings: Settings) -> "SignInElsewhere | None":
    flow = code_flow(settings, RETURN_PATH)
    if flow is None:
        return None
    from citemark.web.sign_in_elsewhere import SignInElsewhere  # noqa: PLC0415 - only servers with an issuer

    return SignInElsewhere(flow)
