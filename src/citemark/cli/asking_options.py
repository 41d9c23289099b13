"""The options that commands share which ask: a question in other words, which documents it is about, in which state."""

from dataclasses import dataclass
from typing import Annotated

import typer

AsOf = Annotated[
    str | None, typer.Option("--as-of", help="Read the state of a moment: ISO 8601, UTC unless it says otherwise.")
]
AtBaseline = Annotated[str | None, typer.Option("--baseline", help="Read the state that a baseline names.")]


@dataclass(frozen=True, slots=True)
class PhrasingOptions:
    """A question in other words: as given, or by the configured model."""

    also: Annotated[
        list[str] | None,
        typer.Option("--also", help="The question in other words that the documents may use (repeatable, 4 at most)."),
    ] = None
    rephrase: Annotated[
        bool,
        typer.Option("--rephrase", help="Have the configured model rephrase the question, unless --also is given."),
    ] = False


AS_TYPED = PhrasingOptions()


@dataclass(frozen=True, slots=True)
class LimitOptions:
    """Which documents a question is about, and in which state."""

    tag: Annotated[list[str] | None, typer.Option(help="Only documents with this tag (repeatable).")] = None
    path_prefix: Annotated[str | None, typer.Option(help="Only documents whose path begins so.")] = None
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where", metavar="KEY=VALUE", help="Only documents with this property: status=done (repeatable)."
        ),
    ] = None
    as_of: AsOf = None
    baseline: AtBaseline = None


UNLIMITED = LimitOptions()
