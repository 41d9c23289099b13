"""Options that several commands share, declared once: fields of a frozen dataclass, which a command gets as one value.

    @dataclass(frozen=True, slots=True)
    class Moment:
        as_of: Annotated[str | None, typer.Option(help="...")] = None
        baseline: Annotated[str | None, typer.Option(help="...")] = None

    @takes_groups
    def search(query: str, moment: Moment) -> None: ...

The command line sees `search(query, as_of, baseline)`; the command itself gets the `Moment` that was typed.
"""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Any, get_type_hints


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command for which each parameter whose type is a dataclass stands for the options that are its fields.

    The options stand in the help where the parameter stands. A field without a default is a required option.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind) and isinstance(kind, type)}
    shown = signature(command)
    parameters = [
        each
        for parameter in shown.parameters.values()
        for each in (
            _options(groups[parameter.name])
            if parameter.name in groups
            else [parameter.replace(annotation=hints[parameter.name])]
        )
    ]

    @wraps(command)
    def typed(**given: Any) -> None:
        values = {
            name: kind(**{each.name: given.pop(each.name) for each in fields(kind)}) for name, kind in groups.items()
        }
        command(**given, **values)

    typed.__signature__ = shown.replace(parameters=parameters)  # type: ignore[attr-defined] - what Typer reads
    typed.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    return typed


def _options(group: type[Any]) -> Iterator[Parameter]:
    """The fields of a group as parameters that are given by name."""
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = each.default if each.default is not MISSING else Parameter.empty
        yield Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=hints[each.name])
