"""Where a client begins: who am I, where are my calendars and address books."""

from tests.nextcloud import xml
from tests.nextcloud.accounts import Accounts
from tests.nextcloud.messages import ServerRequest, ServerResponse
from tests.nextcloud.pim.properties import fixed
from tests.nextcloud.xml import CAL, CARD, Row, dav


def serve_root(ask: ServerRequest) -> ServerResponse:
    """PROPFIND on `/remote.php/dav/`."""
    me = f"<d:href>/remote.php/dav/principals/users/{ask.user}/</d:href>"
    values = {dav("current-user-principal"): me, dav("resourcetype"): "<d:collection/>"}
    wanted = xml.asked_props(xml.parse(ask.body)) or [dav("resourcetype")]
    return xml.multistatus([Row("/remote.php/dav/", fixed(values))], wanted)


def serve_principal(accounts: Accounts, ask: ServerRequest) -> ServerResponse:
    """PROPFIND on a principal: everyone may see names, homes are told of oneself."""
    words = ask.words[3:]
    user = words[1] if words[:1] == ["users"] and len(words) > 1 else ""
    if user not in accounts.people:
        return xml.error(404, "NotFound", f"Principal with name {user} not found")
    account, path = accounts.people[user], f"/remote.php/dav/principals/users/{user}/"
    values = {
        dav("displayname"): xml.escape(account.name),
        dav("resourcetype"): "<d:principal/>",
        dav("current-user-principal"): f"<d:href>/remote.php/dav/principals/users/{ask.user}/</d:href>",
        (CAL, "calendar-user-address-set"): f"<d:href>mailto:{account.email}</d:href><d:href>{path}</d:href>",
        (CAL, "calendar-home-set"): f"<d:href>/remote.php/dav/calendars/{user}/</d:href>",
        (CARD, "addressbook-home-set"): f"<d:href>/remote.php/dav/addressbooks/users/{user}/</d:href>",
    }
    wanted = xml.asked_props(xml.parse(ask.body)) or [dav("displayname"), dav("resourcetype")]
    return xml.multistatus([Row(path, fixed(values))], wanted)
