"""What a person at a terminal sees who logs in to an account by its link."""

import io
import re
import sys
from pathlib import Path

import pytest
from tests.integration.app.cloud import cloud_over
from tests.nextcloud.server import Nextcloud

from citemark.app.open_index import open_app
from citemark.cli.command_context import CommandContext
from citemark.cli.qr_code import qr_code
from citemark.features.nextcloud.commands.nextcloud_command import LoginRequest, renew_login

LINK = re.compile(r"http://\S+/login/v2/flow/\S+")


class Screen(io.StringIO):
    """Where messages go, and a person who opens each link that is shown; a terminal, or a file."""

    def __init__(self, nextcloud: Nextcloud, *, terminal: bool) -> None:
        super().__init__()
        self._nextcloud = nextcloud
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def write(self, text: str) -> int:
        if link := LINK.search(text):
            self._nextcloud.world.login.grant("alice", link[0])
        return super().write(text)


@pytest.mark.requirement("login-link-shown-as-qr-code")
@pytest.mark.parametrize("terminal", [True, False])
async def test_the_link_is_shown_as_a_code_for_another_device_in_a_terminal_only(
    dsn: str, nextcloud: Nextcloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, terminal: bool
) -> None:
    async with cloud_over(dsn, nextcloud, tmp_path) as cloud:
        await cloud.join("alice")
        screen = Screen(nextcloud, terminal=terminal)
        monkeypatch.setattr(sys, "stderr", screen)
        run = CommandContext(open_app, quiet=True)
        assert await renew_login(run, cloud.app, "alice", LoginRequest(browser=False), sync=False) == 0
    link = LINK.search(screen.getvalue())
    assert link is not None
    assert (qr_code(link[0]) in screen.getvalue()) is terminal
    assert ("on another device" in screen.getvalue()) is terminal
