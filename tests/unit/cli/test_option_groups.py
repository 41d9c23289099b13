"""`cli.option_groups`: options that are declared once and reach a command as one value."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from citemark.cli.option_groups import takes_groups


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A sheet."""

    size: Annotated[str, typer.Option("--size", help="Its size.")]
    colour: Annotated[list[str] | None, typer.Option("--colour", help="Its colours.")] = None


@takes_groups
def draw(
    what: Annotated[str, typer.Argument(help="What to draw.")],
    *,
    fast: Annotated[bool, typer.Option("--fast", help="Do it fast.")] = False,
    paper: Paper,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing.")] = False,
) -> None:
    """Draw something."""
    typer.echo(f"{what} {fast} {quiet} {paper}")


APP = typer.Typer()
APP.command()(draw)


@pytest.mark.requirement("shared-options-declared-once")
def test_a_command_gets_the_options_of_a_group_as_one_value() -> None:
    done = CliRunner().invoke(APP, ["a house", "--colour", "red", "--fast", "--size", "A4", "--colour", "blue"])
    assert done.output == f"a house True False {Paper(size='A4', colour=['red', 'blue'])}\n"


def test_a_field_without_a_default_is_a_required_option() -> None:
    done = CliRunner().invoke(APP, ["a house"])
    assert done.exit_code == 2
    assert "--size" in done.output


def test_the_options_of_a_group_stand_in_the_help_where_the_group_stands() -> None:
    told = CliRunner().invoke(APP, ["--help"]).output
    assert "Draw something." in told
    assert sorted(("--fast", "--size", "--colour", "--quiet"), key=told.index) == [
        "--fast",
        "--size",
        "--colour",
        "--quiet",
    ]
