"""All that the double holds, with the controls to change it."""

import secrets
from threading import RLock

from tests.nextcloud.accounts import Accounts
from tests.nextcloud.clock import Clock
from tests.nextcloud.dav.routes import Dav
from tests.nextcloud.deck.desk import Deck
from tests.nextcloud.deck.routes import DeckServer
from tests.nextcloud.files.shelf import Files
from tests.nextcloud.login_flow import LoginFlows
from tests.nextcloud.notes.notebook import Notebook
from tests.nextcloud.ocs.routes import Ocs
from tests.nextcloud.throttle import Throttle


class World:
    """The rooms of one server: `world.notes.add("alice", "Title", "text")` and so on, from any thread."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.clock = Clock()
        self.accounts = Accounts(self.lock)
        self.throttle = Throttle(self.clock)
        self.sessions: dict[str, str] = {}
        self.maintenance = False
        names = {user: account.name for user, account in self.accounts.people.items()}
        self.files = Files(self.lock, self.clock, names)
        self.notes = Notebook(self.lock, self.files)
        self.deck = Deck(self.lock, self.clock)
        self.deck_server = DeckServer(self.deck, names)
        self.login = LoginFlows(self.lock, self.accounts)
        self.dav = Dav(self.files)
        self.ocs = Ocs(self.accounts, self.files, self.throttle)
        self.ocs.parts.append(self.deck_server.ocs)

    def session_of(self, user: str) -> str:
        """The session cookie's value that a login of this user gets."""
        for value, holder in self.sessions.items():
            if holder == user:
                return value
        value = secrets.token_hex(13)
        self.sessions[value] = user
        return value
