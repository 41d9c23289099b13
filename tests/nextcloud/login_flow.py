"""Login Flow v2: a link for the browser, a token to poll with, an app password once."""

import secrets
from dataclasses import dataclass
from threading import RLock
from urllib.parse import parse_qs

from tests.nextcloud.accounts import Accounts
from tests.nextcloud.locking import locked
from tests.nextcloud.messages import ServerRequest, ServerResponse, html_answer, json_answer


@dataclass(slots=True)
class Flow:
    """One login in progress: the app's name, and the account and its password once granted."""

    client: str
    token: str
    link: str
    granted: tuple[str, str] | None = None


class LoginFlows:
    """The logins in progress."""

    def __init__(self, lock: RLock, accounts: Accounts) -> None:
        self.lock = lock
        self.accounts = accounts
        self.flows: list[Flow] = []

    @locked
    def grant(self, user: str, link: str | None = None, login: str | None = None) -> str:
        """Agree as a user, by the link or to the latest login; return the new app password."""
        open_flows = [flow for flow in self.flows if flow.granted is None]
        flow = next(flow for flow in reversed(open_flows) if link is None or link.endswith(flow.link))
        secret = self.accounts.issue(user, flow.client, login=login)
        flow.granted = (login or user, secret)
        return secret

    def serve(self, ask: ServerRequest) -> ServerResponse:
        """Answer below `/login/v2`."""
        match ask.words:
            case ["login", "v2"] if ask.method == "POST":
                return self._start(ask)
            case ["login", "v2", "poll"] if ask.method == "POST":
                return self._poll(ask)
            case ["login", "v2", "flow", link]:
                known = any(flow.link == link for flow in self.flows)
                return html_answer(200 if known else 403, "Connect to your account")
            case _:
                return html_answer(405, "Method not allowed")

    def _start(self, ask: ServerRequest) -> ServerResponse:
        flow = Flow(ask.header("user-agent") or "unknown", secrets.token_hex(64), secrets.token_hex(64))
        self.flows.append(flow)
        poll = {"token": flow.token, "endpoint": f"{ask.base}/login/v2/poll"}
        return json_answer({"poll": poll, "login": f"{ask.base}/login/v2/flow/{flow.link}"})

    def _poll(self, ask: ServerRequest) -> ServerResponse:
        token = parse_qs(ask.body.decode()).get("token", [""])[0] or ask.query.get("token", "")
        flow = next((one for one in self.flows if one.token == token), None)
        if flow is None or flow.granted is None:
            return json_answer([], 404)
        self.flows.remove(flow)
        login, secret = flow.granted
        return json_answer({"server": ask.base, "loginName": login, "appPassword": secret})
