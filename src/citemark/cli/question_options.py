"""Commands that answer questions, with their arguments and options. What a command does is imported when it runs."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from citemark.cli.asking_options import LimitOptions, PhrasingOptions
from citemark.cli.command_context import Json, Quiet, launcher_of
from citemark.cli.option_groups import takes_groups


@takes_groups
def search(
    context: typer.Context,
    query: Annotated[list[str], typer.Argument(help="What to look for.")],
    *,
    phrasing: PhrasingOptions,
    top_k: Annotated[int, typer.Option(min=1, max=20, help="How many hits.")] = 5,
    max_per_doc: Annotated[int, typer.Option(min=1, max=5, help="How many hits per page.")] = 2,
    min_score: Annotated[float | None, typer.Option(min=0, max=1, help="Hide hits with a lower score.")] = None,
    limits: LimitOptions,
    why: Annotated[bool, typer.Option("--why", help="Explain the rank of each hit.")] = False,
    json: Json = False,
) -> None:
    """Search, and show the passages that answer best."""
    asked = {
        "query": " ".join(query),
        "top_k": top_k,
        "max_per_doc": max_per_doc,
        "min_score": min_score,
        "phrasing": asdict(phrasing),
        "limits": asdict(limits),
    }
    launcher_of(context).command(json=json).answer("search", {"asked": asked, "why": why})


@takes_groups
def evidence(
    context: typer.Context,
    question: Annotated[list[str], typer.Argument(help="The question to answer.")],
    *,
    phrasing: PhrasingOptions,
    top_k: Annotated[int, typer.Option(min=1, max=20, help="How many documents to quote from.")] = 5,
    max_bytes: Annotated[
        int | None, typer.Option(min=200, max=8_000, help="Fill this many bytes; else quotes end where it is said.")
    ] = None,
    max_quotes: Annotated[int | None, typer.Option(min=1, max=12, help="How many quotes.")] = None,
    min_score: Annotated[float | None, typer.Option(min=0, max=1, help="Ignore passages with a lower score.")] = None,
    limits: LimitOptions,
    json: Json = False,
) -> None:
    """Show verbatim quotes that answer a question, each with its citation."""
    asked = {
        "query": " ".join(question),
        "top_k": top_k,
        "max_per_doc": 1,
        "min_score": min_score,
        "phrasing": asdict(phrasing),
        "limits": asdict(limits),
    }
    length = {"max_bytes": max_bytes, "max_quotes": max_quotes}
    launcher_of(context).command(json=json).answer("evidence", {"asked": asked, "limits": length})


def evaluate(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="Questions or answers in YAML, or a folder in BEIR form.")],
    *,
    fresh: Annotated[bool, typer.Option("--fresh", help="Rebuild the index of a BEIR folder.")] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write the results as an HTML page with charts.")
    ] = None,
    against: Annotated[Path | None, typer.Option("--against", help="An earlier run's JSON to compare with.")] = None,
    phrasings: Annotated[
        Path | None, typer.Option("--phrasings", help="Further phrasings of the questions, YAML.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure retrieval on questions whose answers are known."""
    from citemark.cli.eval_command import Outlet, eval_command  # noqa: PLC0415

    entry = launcher_of(context)
    command, kinds = entry.command(json=json, quiet=quiet), entry.measured_files()
    raise SystemExit(eval_command(command, path, Outlet(html, against), fresh=fresh, phrasings=phrasings, kinds=kinds))
