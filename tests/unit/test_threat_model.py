"""The page on threats: whoever reads it finds the tests that it names."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
ATTACKERS = (
    "Documents",
    "Remote servers",
    "Cloned repositories",
    "Local users and programs",
    "Other people of the same server",
    "Several machines",
    "Web pages",
)


@pytest.mark.requirement("threat-model-is-written")
def test_every_defence_names_a_test_that_is_there() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| attack"))]
    assert len(rows) >= 20
    for row in rows:
        proofs = re.findall(r"`(tests/[\w/]+\.py)`", row.split(" | ")[-1])
        assert proofs, row
        assert [
            proof for proof in proofs if "\ndef test_" not in _code(proof) and "async def test_" not in _code(proof)
        ] == []


@pytest.mark.requirement("threat-model-is-written")
def test_every_attacker_and_every_undefended_threat_has_a_section() -> None:
    assert re.findall(r"^## (.+)$", PAGE, re.MULTILINE) == [*ATTACKERS, "What is not defended"]


@pytest.mark.requirement("threat-model-is-written")
def test_the_measurements_of_issue_14_are_on_the_page() -> None:
    proven = {
        str(path.relative_to(ROOT))
        for folder in ("unit", "integration", "acceptance")
        for path in (ROOT / "tests" / folder).rglob("test_*.py")
        if re.search(r'"i14-[1-8]-', path.read_text("utf-8"))
    }
    assert sorted(path for path in proven if path not in PAGE) == []


def _code(path: str) -> str:
    return (ROOT / path).read_text("utf-8")
