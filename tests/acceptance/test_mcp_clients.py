"""Clients of other makers and ages, over stdio."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.served import ROOT, Served
from tests.support.patience import HANG_SECONDS
from tests.support.slow_tests import quick_first

from citemark.text.escaping import marked


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=HANG_SECONDS, check=False)


@pytest.mark.requirement("both-protocol-eras-by-real-clients", "client-of-older-sdk-works")
def test_a_client_of_the_sdk_before_2_finds_evidence(served: Served, old_python: Path) -> None:
    asked = {"command": served.command, "env": served.environment, "question": served.question}
    done = run([str(old_python), str(ROOT / "tests" / "acceptance" / "old_client.py"), json.dumps(asked)])
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert seen["protocol"] == "2025-11-25"
    assert seen["tools"][0] == "kb_retrieve_evidence"
    assert "\n".join(marked(seen["evidence"]["quotes"][0]["quote"])) in seen["text"]
    assert seen["scratch"]
    assert seen["wrong"]["isError"]
    assert seen["wrong"]["structured"]["error"]["code"] == "INVALID_ARGUMENT"
    assert seen["prompts"] == ["answer_with_evidence"], "there is no model whose elements could change"


@pytest.mark.requirement("inspector-finds-nothing", "both-protocol-eras-by-real-clients")
@pytest.mark.parametrize("era", quick_first("modern", "legacy", "auto"))
def test_the_inspector_finds_no_schema_that_a_host_might_refuse(served: Served, inspector: Path, era: str) -> None:
    done = run(_inspecting(inspector, served, era, "--method", "tools/list", "--strict"))
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr.lower()
    assert len(json.loads(done.stdout)["result"]["tools"]) >= 6


@pytest.mark.requirement("structured-results-validate")
def test_the_inspector_calls_a_tool_and_sees_a_result_in_its_schema(served: Served, inspector: Path) -> None:
    arguments = ["--tool-name", "kb_retrieve_evidence", "--tool-arg", f"question={served.question}"]
    done = run(_inspecting(inspector, served, "auto", "--method", "tools/call", *arguments))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["structuredContent"]["quotes"]


def _inspecting(inspector: Path, served: Served, era: str, *arguments: str) -> list[str]:
    env = [part for name, value in served.environment.items() for part in ("-e", f"{name}={value}")]
    fixed = ["--cli", "--protocol-era", era, "--format", "json"]
    return [str(inspector), *fixed, *arguments, *env, *served.command]
