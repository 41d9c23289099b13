"""What this program is made of: the one list of its features."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from citemark.feature import Feature
from citemark.features.agents.declaration import AGENTS
from citemark.features.answers.declaration import ANSWERS_FEATURE
from citemark.features.archimate.declaration import ARCHIMATE
from citemark.features.connector.declaration import CONNECTOR
from citemark.features.docs.declaration import DOCS
from citemark.features.graph.declaration import GRAPH
from citemark.features.history.declaration import HISTORY_FEATURE
from citemark.features.maildir.declaration import MAILDIR_FEATURE
from citemark.features.nextcloud.declaration import NEXTCLOUD

if TYPE_CHECKING:  # a command that starts loads no kind of source
    from starlette.routing import Route

    from citemark.cli.command_context import AnsweredCommand, FirstStep
    from citemark.cli.command_tree import CommandTree
    from citemark.cli.measured_file import MeasuredFile
    from citemark.grpc_api.methods import Contract
    from citemark.settings import Settings
    from citemark.sources.kinds import SourceKinds
    from citemark.tools.families import ToolFamily
    from citemark.tools.seen_calls import CallObserver
    from citemark.tools.timed_calls import ServicesProvider
    from citemark.web.added_page import AddedPage

FEATURES: tuple[Feature, ...] = (
    DOCS,
    CONNECTOR,
    HISTORY_FEATURE,
    NEXTCLOUD,
    ANSWERS_FEATURE,
    ARCHIMATE,
    GRAPH,
    MAILDIR_FEATURE,
    AGENTS,
)
"""Every feature, in the order in which lists of tools and commands name what they contribute."""


def kinds_of(features: Sequence[Feature] = FEATURES) -> "SourceKinds":
    """The kinds of source of some features."""
    from citemark.sources.kinds import SourceKinds  # noqa: PLC0415 - as above

    return SourceKinds(kind for feature in features for kind in feature.kinds())


def families_of(features: Sequence[Feature] = FEATURES) -> "tuple[ToolFamily, ...]":
    """The families of tools of some features."""
    return tuple(family for feature in features for family in feature.tools)


def pages_of(features: Sequence[Feature] = FEATURES) -> "tuple[AddedPage, ...]":
    """The pages of some features for a browser."""
    return tuple(page for feature in features if feature.pages is not None for page in feature.pages())


def connect_page_of(
    settings: "Settings", services: "ServicesProvider", address: str | None, features: Sequence[Feature] = FEATURES
) -> "Route | None":
    """The page where people let a server read an account of theirs; None if there is none to connect."""
    made = (feature.connect_page(settings, services, address) for feature in features if feature.connect_page)
    return next(filter(None, made), None)


def observers_of(
    settings: "Settings", services: "ServicesProvider", features: Sequence[Feature] = FEATURES
) -> "tuple[CallObserver, ...]":
    """What some features are told of each call that a server answered."""
    made = (feature.observer(settings, services) for feature in features if feature.observer is not None)
    return tuple(observer for observer in made if observer is not None)


def first_steps_of(features: Sequence[Feature] = FEATURES) -> "tuple[FirstStep, ...]":
    """What some features ask a newcomer."""
    return tuple(step for feature in features if feature.first_steps is not None for step in feature.first_steps())


def measured_files_of(features: Sequence[Feature] = FEATURES) -> "tuple[MeasuredFile, ...]":
    """The kinds of golden files that some features measure."""
    return tuple(
        kind for feature in features if feature.measured_files is not None for kind in feature.measured_files()
    )


def contract_of(features: Sequence[Feature] = FEATURES) -> "Contract":
    """The gRPC services of the core and of some features; needs the extra that serves them."""
    from citemark.grpc_api.methods import CORE_METHODS, joined  # noqa: PLC0415 - as above

    return joined([CORE_METHODS, *(feature.grpc() for feature in features if feature.grpc is not None)])


def answered_of(features: Sequence[Feature] = FEATURES) -> "Mapping[str, AnsweredCommand]":
    """The commands that a server can carry out for the command line, by name."""
    from citemark.cli.answered_commands import CORE_COMMANDS  # noqa: PLC0415 - as above

    added = (feature.answered() for feature in features if feature.answered is not None)
    return {name: command for commands in (CORE_COMMANDS, *added) for name, command in commands.items()}


def commands_of(features: Sequence[Feature] = FEATURES) -> "tuple[Callable[[CommandTree], None], ...]":
    """What adds the commands of some features to the command line."""
    return tuple(feature.commands for feature in features if feature.commands is not None)
