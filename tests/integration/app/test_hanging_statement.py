"""A statement that does not come to its end costs the call that sent it, and nothing is left running."""

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, NO_AUTHORITIES, message_in, request_of, web_server

from citemark.app.open_index import open_app
from citemark.settings import Settings

_WAITING = """SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'citemark%' AND wait_event_type = 'Lock'"""


@pytest.mark.requirement("use-is-bounded-per-person")
async def test_a_call_whose_statement_hangs_times_out_and_the_statement_is_cancelled(dsn: str, tmp_path: Path) -> None:
    given: dict[str, Any] = {"database_url": dsn, "data_dir": tmp_path, "tool_timeout": 1}
    body, headers = request_of("tools/call", MODERN, name="kb_list_sources", arguments={})
    async with (
        open_app(Settings(**given)) as app,
        web_server(app.services, **given) as base,
        httpx2.AsyncClient(timeout=HANG_SECONDS, verify=NO_AUTHORITIES) as http,
        await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other,
    ):

        async def asked() -> str:
            return message_in(await http.post(f"{base}/mcp", content=body, headers=headers))

        async with other.transaction():
            await other.execute("LOCK TABLE source IN ACCESS EXCLUSIVE MODE")
            told = await asked()
            assert '"code":"TIMEOUT"' in told.replace(" ", "")
            waiting: object = None
            for _ in range(500):
                waiting = await (await other.execute(_WAITING)).fetchone()
                if waiting == (0,):
                    break
                await asyncio.sleep(0.01)
            assert waiting == (0,)
        assert "TIMEOUT" not in await asked()
