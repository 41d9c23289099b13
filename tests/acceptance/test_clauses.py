"""A clause is held only where one of its tests fails by itself when the clause is broken."""

from pathlib import Path

import pytest
from tests.clauses.breaks import Break
from tests.clauses.runs import Copy

FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\n',
    "src/product.py": "LIMIT = 3\nNAME = 'a'\n",
    "test_product.py": "import product\n\n\ndef test_the_limit_is_three():\n    assert product.LIMIT == 3\n",
}


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    for name, text in FILES.items():
        path = tmp_path / "repository" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Copy(tmp_path / "repository")


@pytest.mark.requirement("fifty-clauses-broken-turn-tests-red")
@pytest.mark.parametrize(
    ("line", "broken", "red", "passed"),
    [
        ("LIMIT = 3", "LIMIT = 4", "test_product::test_the_limit_is_three", False),
        ("NAME = 'a'", "NAME = 'b'", None, True),
        ("LIMIT = 3", "LIMIT =", None, False),
    ],
    ids=["broken", "of no consequence", "no Python"],
)
def test_a_clause_turns_red_by_a_failing_test_and_by_nothing_else(
    copy: Copy, line: str, broken: str, red: str | None, passed: bool
) -> None:
    with copy.broken(Break("a", "src/product.py", line, broken)):
        ran = copy.run(["test_product.py"], "-n0")
    assert (ran.red, ran.passed) == (red, passed), ran.output
    assert (copy.root / "src" / "product.py").read_text() == FILES["src/product.py"]
