"""Advice for people with and without the command line of a server."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.groups import EVERY_GROUP, tools_of

from citemark.model.scope import READ, Principal
from citemark.services.advice import empty_for_reader, for_reader
from citemark.services.empty import EmptyResult, no_source, nothing_known, nothing_related
from citemark.settings import Settings
from citemark.tools.registry import spell

OWNER = Principal.local()
BOB = Principal("local", "bob", frozenset({READ}))
SOURCE = Path(__file__).parents[3] / "src" / "citemark"

_TOOL_LIKE = re.compile(r"\b(?:kb|nc|architecture|graph)[._][a-z]+(?:_[a-z]+)*[A-Za-z]*(?![\w.=])")
_BEYOND_THE_CORE = {"architecture_listRelationships", "nc_disable_vector_sync", "nc_enable_vector_sync"}
"""What nothing on the short list does in their place; they can be called all the same."""

_WITHOUT_A_COMMAND_LINE = (
    "tools",
    "results",
    "services",
    "retrieval",
    "walks",
    "mentions",
    "model",
    "sources",
    "source",
)
"""Packages of the program and, by the same names, of features in folders of their own."""


@pytest.mark.requirement("advice-without-command-line-fits")
@pytest.mark.parametrize(
    ("said", "to_bob"),
    [
        (
            "Ask again later; `citemark status` shows how far it is, `citemark sync docs` does it now.",
            "Ask again later; whoever runs this server can help.",
        ),
        ("`citemark add FOLDER` adds one, `citemark status` lists them.", "Whoever runs this server can help."),
        (
            "The last scan failed: `citemark login x` makes a new one. Ask again; `citemark status` tells. Then wait.",
            "The last scan failed: whoever runs this server can help. Ask again. Then wait.",
        ),
        (
            "There are none: `citemark baseline create NAME` creates one",
            "There are none: whoever runs this server can help",
        ),
        ("Nothing relevant was found; ask again.", "Nothing relevant was found; ask again."),
    ],
)
def test_who_has_no_command_line_is_told_whom_to_ask_once(said: str, to_bob: str) -> None:
    assert for_reader(said, BOB) == to_bob
    assert for_reader(said, None) == to_bob, "somebody unknown has no command line here either"
    assert for_reader(said, OWNER) == said


def test_the_reason_for_an_empty_result_is_kept_and_its_advice_fits() -> None:
    told = empty_for_reader(no_source(), BOB)
    assert told == EmptyResult("no_source", "There is no source to search.", "Whoever runs this server can help.")
    assert empty_for_reader(no_source(), OWNER) == no_source()


@pytest.mark.requirement("messages-use-listed-tool-names")
def test_messages_name_tools_as_they_are_listed() -> None:
    listed = {spell(tool.name, "underscore") for tool in tools_of(EVERY_GROUP, Settings(), answering=True)}
    named = {
        (name, path.relative_to(SOURCE).as_posix())
        for path in without_a_command_line()
        for text in texts_in(path)
        for name in _TOOL_LIKE.findall(text)
    }
    assert len({name for name, _ in named}) >= 6
    assert {(name, where) for name, where in named if name not in listed} == set()
    core = {spell(tool.name, "underscore") for tool in tools_of(EVERY_GROUP, Settings()) if tool.core}
    assert {name for name, _ in named} - core <= _BEYOND_THE_CORE


def test_advice_that_other_tools_and_commands_share_names_no_tool() -> None:
    for result in (nothing_known(), nothing_related(), no_source()):
        assert _TOOL_LIKE.search(result.text) is None


def without_a_command_line() -> Iterator[Path]:
    for folder in _WITHOUT_A_COMMAND_LINE:
        for place in (SOURCE / folder, *SOURCE.glob(f"features/*/{folder}")):
            yield from sorted(place.rglob("*.py"))


def texts_in(path: Path) -> list[str]:
    """The texts of a module that a reader gets as they are written: in `tools`, where lists are respelled, its errors.

    Docstrings are none of them, and a single word is no message.
    """
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    raised = [node for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    within = raised if "tools" in path.relative_to(SOURCE).parts else [tree]
    constants = [node for root in within for node in ast.walk(root) if isinstance(node, ast.Constant)]
    texts = [node.value for node in constants if id(node) not in docstrings]
    return [text for text in texts if isinstance(text, str) and " " in text]
