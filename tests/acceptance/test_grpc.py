"""`citemark serve --grpc` as a process: beside HTTP and alone, and what a server without it costs."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import httpx2
import pytest
from tests.acceptance.served import CITEMARK, ROOT, Served, index, token_named_by
from tests.interop.environments import CLIENTS
from tests.interop.query_services import steps_of
from tests.support.certificates import self_signed
from tests.support.grpc_calls import asked
from tests.support.patience import HANG_SECONDS
from tests.support.web import MODERN, message_in, request_of

QUESTION = "Which descaler may be used?"
WITHOUT_GRPC = """
import sys
for name in ("grpc", "google.protobuf"):
    sys.modules[name] = None
from citemark.app.main import main
sys.argv = ["citemark", "serve", "--grpc"]
main()
"""
LOADED = """
import sys
import citemark.app.serve_http, citemark.app.main, citemark.cli.server_options
of_grpc = ("grpc", "google.protobuf", "citemark.grpc_api", "citemark.query")
print([name for name in sys.modules if name.startswith(of_grpc)])
"""
MAX_ADDED_MIB = 25
ADDED = """
import asyncio, gc
from pathlib import Path
import citemark.app.serve_http, citemark.app.main

def resident():
    gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024

async def main():
    before = resident()
    import grpc
    import citemark.app.serve_grpc, citemark.grpc_api.grpc_server
    server = grpc.aio.server()
    server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(resident() - before)
    await server.stop(0)

asyncio.run(main())
"""


@pytest.fixture(scope="module")
def served(indexed_folder: Path) -> Served:
    return index(indexed_folder)


@contextmanager
def running(served: Served, *arguments: str) -> Generator["subprocess.Popen[str]"]:
    """A server over gRPC, and whatever else the arguments say."""
    command = [CITEMARK, "serve", *arguments, "--grpc", "--grpc-address", "127.0.0.1:0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=served.environment, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def lines_of(process: "subprocess.Popen[str]", count: int) -> list[str]:
    assert process.stdout is not None
    return [process.stdout.readline() for _ in range(count)]


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """How a server ends that is told to, and what it complains of."""
    process.send_signal(signal.SIGTERM)
    _, complaints = process.communicate(timeout=HANG_SECONDS)
    return process.returncode, complaints


@pytest.mark.requirement("grpc-beside-http")
def test_one_process_answers_over_both_transports_with_the_same_results_and_handles(served: Served) -> None:
    with running(served, "--http", "--port", "0") as process:
        first, second, third = lines_of(process, 3)
        url = next(word for word in first.split() if word.startswith("http://"))
        token = token_named_by(second)
        address = third.split()[3]

        def over_http(tool: str, arguments: dict[str, Any]) -> str:
            body, headers = request_of("tools/call", MODERN, name=tool, arguments=arguments)
            headers |= {"authorization": f"Bearer {token}"}
            return message_in(httpx2.post(url, content=body, headers=headers, timeout=HANG_SECONDS))

        async def over_grpc() -> tuple[dict[str, Any], dict[str, Any]]:
            async with grpc.aio.insecure_channel(address) as channel:
                found = await asked(channel, "kb.search", {"query": QUESTION}, token)
                evidence = await asked(channel, "kb.retrieve_evidence", {"question": QUESTION}, token)
                return found, evidence

        found, evidence = asyncio.run(over_grpc())
        assert "citric acid" in evidence["quotes"][0]["quote"]
        assert evidence["quotes"][0]["quote"].splitlines()[0] in over_http(
            "kb_retrieve_evidence", {"question": QUESTION}
        )
        excerpt = over_http("kb_read_excerpt", {"passage_id": found["results"][0]["passage_id"]})
        assert '"isError":true' not in excerpt.replace(" ", "")
        metrics = httpx2.get(url.replace("/mcp", "/metrics"), headers={"authorization": f"Bearer {token}"}).text
        assert 'citemark_calls_total{outcome="ok",tool="kb.search"} 1.0' in metrics
        assert ended(process) == (0, "")


@pytest.mark.requirement("grpc-clients")
def test_clients_in_python_with_stubs_and_with_reflection_alone_see_what_they_must(served: Served) -> None:
    with running(served) as process:
        first, second = lines_of(process, 2)
        address, token = first.split()[3], token_named_by(second)
        for script in ("grpc_stubs.py", "reflection_alone.py"):
            done = subprocess.run(
                [sys.executable, str(CLIENTS / script), address, QUESTION],
                env=served.environment | {"CITEMARK_TOKEN": token},
                capture_output=True,
                text=True,
                timeout=HANG_SECONDS,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            steps = steps_of(json.loads(done.stdout), "citric acid")
            assert {name for name, told in steps.items() if told != "ok"} == {"list"}, "there is no model here"


@pytest.mark.requirement("grpc-tls", "grpc-drain")
def test_alone_with_tls_it_answers_who_trusts_its_certificate(served: Served, tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    with running(served, "--grpc-cert", str(certificate), "--grpc-key", str(key)) as process:
        first, second = lines_of(process, 2)
        assert "with TLS" in first
        address, token = first.split()[3], token_named_by(second)

        async def ask() -> dict[str, Any]:
            trusting = grpc.ssl_channel_credentials(certificate.read_bytes())
            async with grpc.aio.secure_channel(address, trusting) as channel:
                return await asked(channel, "kb.retrieve_evidence", {"question": QUESTION}, token)

        assert "citric acid" in asyncio.run(ask())["quotes"][0]["quote"]
        assert ended(process) == (0, "")


@pytest.mark.requirement("grpc-extra")
def test_without_the_extra_a_sentence_says_how_to_install_it(served: Served) -> None:
    command = [sys.executable, "-c", WITHOUT_GRPC]
    done = subprocess.run(
        command, env=served.environment, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'citemark[grpc]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.requirement("grpc-extra")
def test_a_server_without_grpc_loads_nothing_of_it(served: Served) -> None:
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(
        command, env=served.environment, capture_output=True, text=True, timeout=HANG_SECONDS, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.requirement("grpc-memory")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc")
def test_the_extra_adds_little_memory_to_an_idle_server(served: Served) -> None:
    command = [sys.executable, "-c", ADDED]
    done = subprocess.run(
        command, env=served.environment, capture_output=True, text=True, timeout=HANG_SECONDS, check=True
    )
    assert 0 < float(done.stdout) <= MAX_ADDED_MIB


def test_a_certificate_that_is_none_is_told_in_a_sentence(served: Served, tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("nothing")
    none = str(tmp_path / "cert.pem")
    with running(served, "--grpc-cert", none, "--grpc-key", none) as process:
        _, complaints = process.communicate(timeout=HANG_SECONDS)
    assert process.returncode == 2
    assert "are not a certificate and its key" in complaints
    assert "Traceback" not in complaints
