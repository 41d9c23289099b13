"""What `make interop` counts as a good step of a client of gRPC, and what it installs."""

import json
from typing import Any

import pytest
from tests.interop.environments import HERE
from tests.interop.query_services import GrpcRow, grpc_table, steps_of

GOOD: dict[str, Any] = {
    "previews": ["Use citric acid."],
    "quotes": ["Use citric acid."],
    "excerpt": "Use citric acid.",
    "holds": "exact",
    "pages": [["Boiler", "Grinder"], ["Pump", "Tank"], ["Valve"]],
    "total": 5,
    "parts": ["documents", "text", "check"],
    "code": 3,
    "details": "INVALID_ARGUMENT ['top_k']",
}


@pytest.mark.requirement("grpc-clients")
@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        ("search", {"previews": []}),
        ("evidence", {"quotes": ["Use vinegar."]}),
        ("evidence", {"quotes": ["citric acid"] * 3}),
        ("excerpt", {"excerpt": ""}),
        ("quote holds", {"holds": "moved"}),
        ("list", {"pages": [["Boiler", "Grinder"]]}),
        ("answer", {"parts": ["text", "check"]}),
        ("error", {"code": 13}),
        ("error", {"details": "INVALID_ARGUMENT"}),
    ],
)
def test_a_step_is_ok_only_if_the_client_saw_what_it_must(step: str, wrong: dict[str, Any]) -> None:
    steps = steps_of(GOOD, "citric acid")
    assert GrpcRow("client", "1", steps).passed
    assert steps_of(GOOD | wrong, "citric acid") == steps | {step: "wrong"}
    row = GrpcRow("client", "1", steps | {step: "failed: a|b\nc"})
    assert not row.passed
    assert "failed: a/b c" in grpc_table([row])


@pytest.mark.requirement("grpc-clients", "install-pinned")
def test_what_the_client_in_typescript_needs_is_locked_by_hash_and_without_a_registry() -> None:
    folder = HERE / "grpc_typescript"
    wanted = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    packages = json.loads((folder / "package-lock.json").read_text("utf-8"))["packages"]
    assert packages.pop("")["dependencies"] == wanted
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert not any("resolved" in package for package in packages.values())
