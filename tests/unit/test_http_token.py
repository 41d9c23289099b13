"""The token of `serve --http`, in its file and in the entries of hosts."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from tests.unit.cli.test_install import PLACES, SERVERS, Run, home, install

from citemark.http_token import http_token, token_file
from citemark.model.errors import ConfigurationError

__all__ = ["home", "install"]
"""Fixtures."""


@pytest.mark.requirement("loopback-token-readable-by-owner")
def test_the_token_is_made_once_in_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = http_token(data)
    assert len(token) >= 40
    assert http_token(data) == token
    assert token_file(data).stat().st_mode & 0o777 == 0o600
    assert [each.name for each in data.iterdir()] == ["http.token"]
    assert http_token(tmp_path / "other") != token


@pytest.mark.requirement("loopback-token-readable-by-owner")
@pytest.mark.parametrize(
    ("mode", "text", "said"), [(0o644, "x" * 43, "Others can read"), (0o600, "", "holds no token")]
)
def test_a_token_file_that_others_can_read_or_that_is_malformed_is_refused(
    tmp_path: Path, mode: int, text: str, said: str
) -> None:
    token_file(tmp_path).write_text(text)
    token_file(tmp_path).chmod(mode)
    with pytest.raises(ConfigurationError, match=said):
        http_token(tmp_path)


def test_a_token_file_behind_a_symlink_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("x" * 43)
    token_file(tmp_path).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="cannot be used"):
        http_token(tmp_path)


@pytest.mark.requirement("loopback-token-readable-by-owner")
@pytest.mark.parametrize("host", ["claude-code", "vscode", "cursor", "codex"])
def test_install_puts_address_and_token_into_a_hosts_entry_and_shows_no_token(
    install: Run, home: Path, host: str
) -> None:
    done = install(host, yes=True, port=9000)
    token = http_token(Path(os.environ["CITEMARK_DATA_DIR"]))
    text = (home / PLACES[host]).read_text()
    entry = (tomllib.loads(text) if host == "codex" else json.loads(text))[SERVERS.get(host, "mcpServers")]["citemark"]
    assert entry["url"] == "http://127.0.0.1:9000/mcp"
    assert entry["http_headers" if host == "codex" else "headers"] == {"Authorization": f"Bearer {token}"}
    assert token not in done.stdout
    assert "nothing to do" in install(host, yes=True, port=9000).stdout
    install(host, yes=True)
    assert token not in (home / PLACES[host]).read_text()
    install(host, yes=True, port=9000)
    assert install(host, yes=True, remove=True).returncode == 0
    assert "9000" not in (home / PLACES[host]).read_text()


def test_an_address_is_refused_for_a_host_that_accepts_none(install: Run) -> None:
    done = install("claude-desktop", yes=True, port=9000)
    assert (done.returncode, "does not accept an address" in done.stderr) == (2, True)


def test_another_server_of_that_name_stays(install: Run, home: Path) -> None:
    theirs = {"url": "http://127.0.0.1:3000/mcp"}
    (home / PLACES["cursor"]).write_text(json.dumps({"mcpServers": {"citemark": theirs}}))
    assert install("cursor", yes=True, port=9000).returncode == 2
    assert json.loads((home / PLACES["cursor"]).read_text())["mcpServers"]["citemark"] == theirs
