"""What a server tells of its calls: metrics for its owner, an audit line each, and whether it lives."""

import json
import re
import stat
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import httpx2
import pytest
import structlog
from structlog.testing import capture_logs
from tests.support.issuer import Issuer
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, NO_AUTHORITIES, request_of, web_server
from tests.unit.tools.double import DoubleServices

from citemark.app.audit_log import AuditLog
from citemark.logs import configure_logs
from citemark.model.errors import ConfigurationError
from citemark.services.people.admission import RefusedRequest
from citemark.services.people.call_limits import CallLimits, LimitSettings
from citemark.tools.call_metrics import CallMetrics
from citemark.tools.seen_calls import SeenCall
from citemark.tools.server import Health

SECRET = "Which port does the zeppelin use?"
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.fixture
async def http() -> AsyncGenerator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=HANG_SECONDS, verify=NO_AUTHORITIES) as client:
        yield client


async def ask(http: httpx2.AsyncClient, base: str, token: str, method: str, **params: Any) -> httpx2.Response:
    body, headers = request_of(method, MODERN, **params)
    return await http.post(f"{base}/mcp", content=body, headers=headers | {"authorization": f"Bearer {token}"})


def sample(text: str, name: str) -> dict[str, float]:
    """Values of a metric by its labels."""
    return {
        labels or "": float(value) for labels, value in re.findall(rf"^{name}(\{{.*\}})? (\S+)$", text, re.MULTILINE)
    }


@pytest.mark.requirement("metrics-have-bounded-labels", "audit-line-without-the-question", "unknown-tools-audited")
async def test_calls_are_counted_by_tool_and_outcome_and_each_leaves_a_line(
    http: httpx2.AsyncClient, tmp_path: Path
) -> None:
    issuer, metrics = Issuer(), CallMetrics()
    audit = AuditLog(tmp_path / "audit.jsonl", lambda: NOON)
    observers = (metrics.seen, audit.seen)
    async with web_server(
        DoubleServices(), token="owner", reader=issuer.reader(), metrics=metrics, observers=observers
    ) as base:
        alice = issuer.token()
        asked: dict[str, Any] = {"query": SECRET, "page_size": 1}
        await ask(http, base, alice, "tools/call", name="kb_search", arguments=asked)
        await ask(http, base, alice, "tools/call", name="kb.search", arguments=asked | {"cursor": "1"})
        await ask(http, base, "owner", "tools/call", name="kb_search", arguments=asked | {"top_k": 99})
        await ask(http, base, alice, "tools/call", name="no_such_tool_zeppelin", arguments={})
        await ask(http, base, alice, "resources/read", uri="citemark://scratch/zeppelin/x")
        await ask(http, base, "wrong", "tools/list")
        text = (await http.get(f"{base}/metrics", headers={"authorization": "Bearer owner"})).text
    audit.close()
    assert sample(text, "citemark_calls_total") == {
        '{outcome="ok",tool="kb.search"}': 2,
        '{outcome="INVALID_ARGUMENT",tool="kb.search"}': 1,
        '{outcome="INVALID_ARGUMENT",tool="unknown"}': 1,
        '{outcome="INVALID_ARGUMENT",tool="resources/read"}': 1,
    }
    assert sample(text, "citemark_cursor_calls_total") == {'{tool="kb.search"}': 1}
    assert sample(text, "citemark_cut_answers_total") == {'{reason="page_size",tool="kb.search"}': 2}
    assert sample(text, "citemark_http_answers_total")['{status="401"}'] == 1
    assert sample(text, "citemark_answer_bytes_count")['{tool="kb.search"}'] == 3
    assert "zeppelin" not in text
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [(line["principal"], line["tool"], line["outcome"]) for line in lines] == [
        ("local/https://issuer.example alice", "kb.search", "ok"),
        ("local/https://issuer.example alice", "kb.search", "ok"),
        ("local/owner", "kb.search", "INVALID_ARGUMENT"),
        ("local/https://issuer.example alice", "unknown", "INVALID_ARGUMENT"),
        ("local/https://issuer.example alice", "resources/read", "INVALID_ARGUMENT"),
    ]
    assert all(line.keys() == {"at", "principal", "tool", "outcome", "bytes", "seconds"} for line in lines)
    assert lines[0]["bytes"] > 100
    assert "zeppelin" not in json.dumps(lines)


@pytest.mark.requirement("metrics-have-bounded-labels")
@pytest.mark.parametrize("token", [None, "wrong", "alice"])
async def test_metrics_are_for_the_owner_alone(http: httpx2.AsyncClient, token: str | None) -> None:
    issuer = Issuer()
    given = issuer.token() if token == "alice" else token
    headers = {} if given is None else {"authorization": f"Bearer {given}"}
    async with web_server(DoubleServices(), token="owner", reader=issuer.reader(), metrics=CallMetrics()) as base:
        answer = await http.get(f"{base}/metrics", headers=headers)
    assert answer.status_code == 401
    assert "citemark_" not in answer.text


@pytest.mark.requirement("liveness-and-readiness-apart")
async def test_a_server_whose_index_is_not_open_lives_and_is_not_ready(http: httpx2.AsyncClient) -> None:
    async with web_server(DoubleServices(), health=Health("unavailable", "no disk"), token="owner") as base:
        live, ready = await http.get(f"{base}/health/live"), await http.get(f"{base}/health/ready")
        told = await http.get(f"{base}/health/ready", headers={"authorization": "Bearer owner"})
    assert (live.status_code, live.json()) == (200, {"status": "alive"})
    assert (ready.status_code, ready.json()["status"], "reason" in ready.json()) == (503, "unavailable", False)
    assert told.json()["reason"] == "no disk"
    async with web_server(DoubleServices(), token="owner") as base:
        assert (await http.get(f"{base}/health/ready")).status_code == 200


@pytest.mark.requirement("audit-line-without-the-question")
def test_the_file_is_its_owners_alone_and_lines_are_added_to_it(tmp_path: Path) -> None:
    path, call = tmp_path / "audit.jsonl", SeenCall("local/owner", "kb.search", "ok", 10, 0.12345)
    for _ in range(2):
        audit = AuditLog(path, lambda: NOON)
        audit.seen(call)
        audit.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    said = {"principal": "local/owner", "tool": "kb.search", "outcome": "ok", "bytes": 10, "seconds": 0.1235}
    assert lines == [{"at": "2026-01-31T12:00:00Z", **said}] * 2


@pytest.mark.requirement("audit-line-without-the-question")
async def test_refused_requests_leave_a_line_that_says_whose_they_were_where_that_is_known(
    http: httpx2.AsyncClient, tmp_path: Path
) -> None:
    issuer, audit = Issuer(), AuditLog(tmp_path / "audit.jsonl", lambda: NOON)
    limits = CallLimits(LimitSettings(rate=10))
    async with web_server(
        DoubleServices(), token="owner", reader=issuer.reader(), limits=limits, refused=audit.refused
    ) as base:
        await ask(http, base, "wrong-zeppelin", "tools/list")
        reader = issuer.token("alice", "semantic:read")
        await ask(http, base, reader, "tools/call", name="nc_disable_vector_sync", arguments={})
        await ask(http, base, reader, "tools/list")
        await ask(http, base, "owner", "tools/list")
    audit.close()
    text = (tmp_path / "audit.jsonl").read_text()
    alice, place = "local/https://issuer.example alice", {"at": "2026-01-31T12:00:00Z", "from": "127.0.0.1"}
    assert [json.loads(line) for line in text.splitlines()] == [
        {**place, "principal": None, "refused": 401, "reason": "DecodeError"},
        {**place, "principal": alice, "refused": 403},
        {**place, "principal": alice, "refused": 429},
    ]
    assert "zeppelin" not in text


@pytest.mark.requirement("audit-line-without-the-question")
def test_a_flood_of_refused_requests_logs_ten_lines_a_second_and_the_number_left_out(tmp_path: Path) -> None:
    now = [5.0]
    audit = AuditLog(tmp_path / "audit.jsonl", lambda: NOON, lambda: now[0])
    for second, times in ((5.0, 1000), (6.2, 11)):
        now[0] = second
        for _ in range(times):
            audit.refused(RefusedRequest(401, None, "192.0.2.7"))
    audit.close()
    lines = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]
    assert [line.get("refused_besides") for line in lines] == [None] * 10 + [990] + [None] * 10 + [1]


@pytest.mark.requirement("audit-line-without-the-question")
def test_without_a_file_the_line_goes_to_the_log(tmp_path: Path) -> None:
    with capture_logs() as logged:
        AuditLog(None).seen(SeenCall("local/owner", "kb.search", "ok", 10, 0.1))
    assert [(line["log_level"], line["action"], line["principal"], line["tool"]) for line in logged] == [
        ("info", "audit", "local/owner", "kb.search")
    ]
    with pytest.raises(ConfigurationError, match="audit_log"):
        AuditLog(tmp_path / "none" / "audit.jsonl")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="audit_log"):
        AuditLog(tmp_path / "link")


@pytest.fixture
def server_log(monkeypatch: pytest.MonkeyPatch) -> Generator[StringIO]:
    """The log as a server writes it."""
    before, written = structlog.get_config(), StringIO()
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "stderr", written)
    configure_logs("info")
    yield written
    structlog.configure(**before)


@pytest.mark.requirement("audit-line-without-the-question")
async def test_without_a_file_a_refusal_is_logged_readably_with_status_and_address(
    http: httpx2.AsyncClient, server_log: StringIO
) -> None:
    audit = AuditLog(None, seconds=lambda: 5.0)
    async with web_server(DoubleServices(), token="owner", reader=Issuer().reader(), refused=audit.refused) as base:
        for _ in range(12):
            await ask(http, base, "wrong-zeppelin", "tools/list")
    audit.close()
    *refused, besides = [line for line in server_log.getvalue().splitlines() if "audit" in line]
    assert len(refused) == 10
    assert all("refused=401 from='127.0.0.1' reason='DecodeError'" in line for line in refused)
    assert "refused_besides=2" in besides
    assert "zeppelin" not in "".join(refused)


@pytest.mark.requirement("audit-line-without-the-question")
async def test_a_full_disk_fails_no_call_and_is_logged_once(http: httpx2.AsyncClient) -> None:
    audit = AuditLog(Path("/dev/full"))
    with capture_logs() as logged:
        async with web_server(DoubleServices(), token="owner", observers=[audit.seen]) as base:
            for _ in range(2):
                answer = await ask(http, base, "owner", "tools/call", name="kb_list_sources", arguments={})
                assert not answer.json()["result"].get("isError")
    assert [(line["event"], line["reason"]) for line in logged] == [
        ("audit_log_not_written", "No space left on device")
    ]
