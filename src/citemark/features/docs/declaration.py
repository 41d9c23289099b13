"""What folders of documents contribute."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.feature import Feature
from citemark.tools.families import ToolFamily

if TYPE_CHECKING:
    from citemark.cli.command_tree import CommandTree
    from citemark.sources.kinds import SourceKind
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.prompts import FilledPrompt
    from citemark.tools.registry import Tool


def _kinds() -> "Sequence[SourceKind]":
    from citemark.sources.docs.kind import DOCS_KIND

    return (DOCS_KIND,)


def _kb(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.tools.kb import KB_TOOLS

    return KB_TOOLS


def _prompts() -> "Sequence[FilledPrompt]":
    from citemark.tools.kb.answer_prompt import ANSWER_WITH_EVIDENCE

    return (ANSWER_WITH_EVIDENCE,)


def _commands(tree: "CommandTree") -> None:
    from citemark.cli.source_options import add_docs

    tree.add.command("docs")(add_docs)


DOCS = Feature(
    "docs",
    kinds=_kinds,
    tools=(ToolFamily(_kb, prompts=_prompts),),
    commands=_commands,
)
