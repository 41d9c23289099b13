"""The command that answers in words, with arguments and options; what runs is imported then."""

from dataclasses import asdict
from typing import Annotated

import typer

from citemark.cli.asking_options import LimitOptions, PhrasingOptions
from citemark.cli.command_context import Json, Quiet, launcher_of
from citemark.cli.option_groups import takes_groups


@takes_groups
def ask(
    context: typer.Context,
    question: Annotated[list[str], typer.Argument(help="The question in full.")],
    *,
    phrasing: PhrasingOptions,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Most documents to answer from.")] = 5,
    max_answer_tokens: Annotated[int, typer.Option(min=1, max=2000, help="Length of the answer.")] = 500,
    min_score: Annotated[float | None, typer.Option(min=0, max=1, help="Leave weaker documents out.")] = None,
    limits: LimitOptions,
    documents_only: Annotated[bool, typer.Option("--documents-only", help="Ask no model, quote nothing.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer with footnotes: written by the configured model (answer_url, answer_model), otherwise made of quotes."""
    asked = {
        "question": " ".join(question),
        "limit": limit,
        "max_answer_tokens": max_answer_tokens,
        "min_score": min_score,
        "phrasing": asdict(phrasing),
        "limits": asdict(limits),
        "documents_only": documents_only,
    }
    launcher_of(context).command(json=json, quiet=quiet).answer("ask", {"asked": asked})
