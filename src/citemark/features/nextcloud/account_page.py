"""The page that adds a Nextcloud account: its owner agrees in the Nextcloud itself, by a link."""

from typing import Any
from urllib.parse import urlsplit

from citemark.features.nextcloud.services.keys import LOGINS
from citemark.features.nextcloud.source.account import AccountSettings
from citemark.model.accounts import NEXTCLOUD
from citemark.model.errors import InvalidArgument
from citemark.model.sources import NewSource
from citemark.web.asked import Asked
from citemark.web.begun_work import Begun, Work
from citemark.web.rendering import Page

_LOGIN = "account"
"""The name under which one login at a time is waited for."""


async def account(asked: Asked) -> Page:
    """A form for the address of a Nextcloud, or the link that waits for its person to agree."""
    if not asked.is_owner:
        return Page("account", {"owner": False})
    begun = asked.work.begun(_LOGIN)
    waiting = begun is not None and not begun.ended
    return Page(
        "account",
        {
            "owner": True,
            "waiting": waiting,
            "link": begun.told if begun is not None and waiting else "",
            "failed": "" if begun is None else begun.failed,
            "added": begun is not None and begun.ended and not begun.failed,
        },
    )


async def connect_account(asked: Asked, work: Work) -> str:
    """Begin a login at a Nextcloud and wait until its link is known; where to go next.

    Raises:
        InvalidArgument: no address is given.
    """
    app, address = await asked.index.app(), asked.text("url")
    if not address:
        raise InvalidArgument("Give the address of your Nextcloud, such as https://cloud.example.")
    logins = app.services.get(LOGINS)

    async def log_in(begun: Begun) -> None:
        async def show(link: str) -> None:
            begun.tell(link)

        server = await logins.server_at(address, None)
        found = await logins.by_link(server, None, show)
        config: dict[str, Any] = {"server": found.server, "login": found.login, "user": found.user}
        AccountSettings.from_config(config)
        name = f"{found.user}@{urlsplit(found.server).netloc}"
        work.begin(app, await logins.record(found, NewSource(name, NEXTCLOUD, config, keep_history=False)))

    await work.begin_as(_LOGIN, log_in).news()
    return "/account"


async def give_up_account(_: Asked, work: Work) -> str:
    """Wait for the login no longer; where to go next."""
    await work.end_as(_LOGIN)
    return "/sources"
