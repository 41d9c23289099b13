"""All that the double holds, with the controls to change it."""

import secrets
from threading import RLock

from tests.nextcloud.accounts import Accounts
from tests.nextcloud.clock import Clock
from tests.nextcloud.dav.principals import serve_principal
from tests.nextcloud.dav.routes import Dav
from tests.nextcloud.deck.controls import Deck
from tests.nextcloud.deck.routes import DeckServer
from tests.nextcloud.files.controls import Files
from tests.nextcloud.files.routes import serve_files
from tests.nextcloud.files.tags import serve_tags
from tests.nextcloud.files.trashbin import serve_trash
from tests.nextcloud.login_flow import LoginFlows
from tests.nextcloud.notes.notebook import Notebook
from tests.nextcloud.ocs.routes import Ocs
from tests.nextcloud.pim import derived_collections
from tests.nextcloud.pim.controls import Collections
from tests.nextcloud.pim.routes import PimServer
from tests.nextcloud.pim.user_view import Pim
from tests.nextcloud.throttle import Throttle
from tests.nextcloud.versions import RECORDED, Version


class World:
    """Everything that one server holds: `world.notes.add("alice", "Title", "text")` and so on, from any thread."""

    def __init__(self, version: Version = RECORDED) -> None:
        self.version = version
        self.lock = RLock()
        self.clock = Clock()
        self.accounts = Accounts(self.lock)
        self.throttle = Throttle(self.clock)
        self.sessions: dict[str, str] = {}
        self.maintenance = False
        self.people = {user: account.name for user, account in self.accounts.people.items()}
        self.files = Files(self.lock, self.clock, self.people)
        self.notes = Notebook(self.lock, self.files)
        self.deck = Deck(self.lock, self.clock)
        self.calendars = Collections(self.lock, self.clock, "calendars", self.people)
        self.contacts = Collections(self.lock, self.clock, "addressbooks", self.people)
        self.login = LoginFlows(self.lock, self.accounts)
        self.deck_server = DeckServer(self.deck, self.people)
        self.ocs = Ocs(self.accounts, self.files, self.throttle, version)
        self.ocs.parts.append(self.deck_server.ocs)
        self.dav = self._dav()

    def _dav(self) -> Dav:
        made_up = [derived_collections.birthdays(self.contacts), derived_collections.boards(self.deck)]
        calendars = PimServer(Pim(self.calendars, made_up))
        books = derived_collections.books(self.accounts, everybody=self.version.lists_accounts)
        contacts = PimServer(Pim(self.contacts, [books]), self.version.report_rows)
        return Dav(
            self.files,
            {
                "files": lambda ask: serve_files(self.files, ask, self.version),
                "trashbin": lambda ask: serve_trash(self.files, ask),
                "systemtags": lambda ask: serve_tags(self.files, ask),
                "systemtags-relations": lambda ask: serve_tags(self.files, ask),
                "calendars": calendars.serve,
                "addressbooks": contacts.serve,
                "principals": lambda ask: serve_principal(self.accounts, ask),
            },
        )

    def session_of(self, user: str) -> str:
        """The session cookie's value that a login of this user gets."""
        for value, holder in self.sessions.items():
            if holder == user:
                return value
        value = secrets.token_hex(13)
        self.sessions[value] = user
        return value
