"""The command line as features see it: the groups to which they add commands."""

import typer

from citemark.cli.add_group import AddGroup
from citemark.cli.root_group import RootGroup


class CommandTree:
    """`citemark` and the groups of it that features share."""

    def __init__(self) -> None:
        self.root = typer.Typer(
            name="citemark",
            cls=RootGroup,
            help="Cited, permitted, bounded retrieval over your own documents, for people and AI agents.",
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
            pretty_exceptions_enable=False,
            rich_markup_mode=None,
        )
        self.add = typer.Typer(
            cls=AddGroup,
            help="Add a source: a folder, the file of a model or the address of a Nextcloud; its kind need not be "
            "named.",
            subcommand_metavar="[KIND] SOURCE [OPTIONS]",
            no_args_is_help=True,
            rich_markup_mode=None,
        )
        self.root.add_typer(self.add, name="add")
        self.source = self.group("source", "Change a source.")

    def group(self, name: str, help_: str, *, alone: bool = False) -> typer.Typer:
        """A new group of commands; `alone`: its name is a command as well."""
        group = typer.Typer(help=help_, no_args_is_help=not alone, rich_markup_mode=None)
        self.root.add_typer(group, name=name)
        return group
