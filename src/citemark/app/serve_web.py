"""The pages for a browser, as part of the server over HTTP."""

from citemark.app.features import pages_of
from citemark.identity.token_claims import TokenReader
from citemark.services.people.call_limits import CallLimits
from citemark.settings import Settings
from citemark.tools.http_app import WELCOME
from citemark.tools.http_guards import BearerToken
from citemark.web.asked import PageIndex
from citemark.web.routes import Pages
from citemark.web.sign_in import SignIns


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
    return Pages(index, sign_ins, WELCOME, address, limits, pages_of())
