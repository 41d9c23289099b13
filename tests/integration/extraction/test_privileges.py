"""A parsing process is worth nothing to whoever takes it over by a file."""

import os
import socket
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.served import ROOT

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask
from citemark.extraction.sandbox.pool import ParserPool

_LOOK = ParseTask("tests.support.privilege_probe", "probe_privileges", "tests")
_IS_ROOT = os.geteuid() == 0


@pytest.fixture
async def seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[dict[str, Any]]:
    """What a parsing process tells of itself, with a private file and a listening port beside it."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    (private / "key").write_text("secret")
    (private / "key").chmod(0o600)
    pool = ParserPool()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = f"{private / 'key'}|{listening.getsockname()[1]}"
        (told,) = await pool.parts(_LOOK, ParseItem(place.encode()), dict)
    yield told
    await pool.close()
    assert (private / "key").read_text() == "secret"


@pytest.mark.requirement("root-parses-under-other-accounts")
@pytest.mark.skipif(not _IS_ROOT, reason="only root has something to drop")
async def test_root_reads_no_strangers_file_as_root(seen: dict[str, Any]) -> None:
    assert set(seen["uid"]) == {64_866}
    assert not seen["groups"]
    assert [deed for deed in ("reads", "writes", "lists", "becomes_root") if seen[deed]] == []


@pytest.mark.requirement("root-parses-under-other-accounts")
@pytest.mark.skipif(not _IS_ROOT, reason="whether others may leave the network is up to the system")
async def test_a_parsing_process_reaches_no_network_not_even_this_machines(seen: dict[str, Any]) -> None:
    assert not seen["connects"]
