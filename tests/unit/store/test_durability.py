"""Which transactions and statements commit without waiting for the disk: those that the page about scaling lists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from citemark.store.database import Queries

ROOT = Path(__file__).resolve().parents[3]
SCALING = (ROOT / "docs" / "scaling.md").read_text("utf-8")


def listed(heading: str) -> set[str]:
    """The names in the first column of the table with that heading."""
    rows = SCALING.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    return {name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("|")[1])}


def asynchronous(node: ast.AST, within: tuple[str, ...] = ()) -> Iterator[str]:
    """The functions that open a transaction whose commit need not be waited for."""
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            durable = [each.value for each in child.keywords if each.arg == "durable"]
            asked = any(not (isinstance(value, ast.Constant) and value.value is True) for value in durable)
            if child.func.attr == "transaction_to_begin" or (child.func.attr == "transaction" and asked):
                yield ".".join(within)
        yield from asynchronous(child, (*within, child.name) if named else within)  # type: ignore[attr-defined]


@pytest.mark.requirement("asynchronous-commits-are-listed")
def test_every_transaction_that_commits_without_waiting_is_listed_with_why() -> None:
    found: set[str] = set()
    for file in sorted((ROOT / "src" / "citemark").rglob("*.py")):
        found |= set(asynchronous(ast.parse(file.read_text("utf-8"))))
    assert found == listed("transaction")


@pytest.mark.requirement("asynchronous-commits-are-listed")
def test_every_statement_that_commits_without_waiting_is_listed_with_why() -> None:
    queries = Queries()
    found = {name for name in queries.names() if "synchronous_commit" in queries[name]}
    assert found == listed("statement")
