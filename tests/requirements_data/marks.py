"""Which tests name which clauses, read from the syntax of the test files."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mark:
    """One id in one requirement marker. `test` is None where the marker sits on something that is no test."""

    requirement: str | None
    test: str | None
    place: str


def marks_under(folder: Path) -> tuple[Mark, ...]:
    """Every mark in the Python files below `folder`, in the order of their paths."""
    found: list[Mark] = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.requirement" in text:
            found.extend(marks_in(text, path.relative_to(folder).as_posix()))
    return tuple(found)


def marks_in(text: str, path: str) -> Iterator[Mark]:
    """Yield the marks of one file; an argument that is no plain string comes out as None."""
    tree = ast.parse(text, path)
    owners = _owners(tree, path)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _is_marker(node.func)):
            continue
        place = f"{path}:{node.lineno}"
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            literal = argument.value if isinstance(argument, ast.Constant) else None
            yield Mark(literal if isinstance(literal, str) else None, owners.get(node), place)


def _is_marker(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "requirement"
        and isinstance(function.value, ast.Attribute)
        and function.value.attr == "mark"
    )


def _owners(tree: ast.Module, path: str) -> dict[ast.AST, str]:
    """The test that each node inside a decorator or a `pytestmark` speaks of."""
    owners: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        roots: list[ast.expr] = []
        name = path
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name.startswith("test_"):
                roots, name = node.decorator_list, f"{path}::{node.name}"
            case ast.ClassDef() if node.name.startswith("Test") or node.name.endswith("Test"):
                roots, name = node.decorator_list, f"{path}::{node.name}"
            case ast.Assign(targets=[ast.Name(id="pytestmark")]):
                roots = [node.value]
            case _:
                continue
        for root in roots:
            owners.update(dict.fromkeys(ast.walk(root), name))
    return owners
