"""What a feature adds to the program: a closed set of contributions. A feature never gets the program handed over.

The parts of a feature are loaded when they are used: its declaration is read by every command and server that starts.
"""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from citemark.services.bundle import HANDLES, PIPELINE, Services

if TYPE_CHECKING:  # a command that starts loads none of this
    from pathlib import Path

    from starlette.routing import Route

    from citemark.cli.command_context import AnsweredCommand, FirstStep
    from citemark.cli.command_tree import CommandTree
    from citemark.cli.measured_file import MeasuredFile
    from citemark.embedding.contract import Embedder, Tokenizer
    from citemark.grpc_api.methods import Contract
    from citemark.indexing.language_detector import LanguageDetector
    from citemark.indexing.page_edges import EdgeDrawing
    from citemark.model.clock import Clock
    from citemark.model.sources import AllowedSources, Source
    from citemark.retrieval.occasions import SeriesReader
    from citemark.retrieval.pipeline import Pipeline
    from citemark.retrieval.verification import AccessCheck
    from citemark.services.bundle import ServiceKey
    from citemark.services.handles import Handles
    from citemark.services.scoping import Scoping
    from citemark.settings import Settings
    from citemark.sources.contract import Connector
    from citemark.sources.kinds import SourceKind, SourceKinds
    from citemark.store.stores import Stores
    from citemark.tools.families import ToolFamily
    from citemark.tools.seen_calls import CallObserver
    from citemark.tools.timed_calls import ServicesProvider
    from citemark.web.added_page import AddedPage


@dataclass(frozen=True, slots=True)
class IndexingPorts:
    """What a feature needs to index texts that no source lists.

    Attributes:
        tokenizer: measures chunks.
        detector: tells the language of a text.
        connector_over: the connector of a source that reads its files from another folder.
        finish_texts: makes every text searchable by its words, and embeds it.
    """

    tokenizer: "Tokenizer"
    detector: "LanguageDetector"
    connector_over: "Callable[[Source, Path], Connector]"
    finish_texts: Callable[[], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Core:
    """The ports of the core over one index, from which features make their services.

    Attributes:
        settings: of the program.
        stores: of the index; a feature makes its own with `stores.of`.
        access: asks sources about documents.
        scoping: the limits that calls run under.
        kinds: the kinds of sources.
        clock: the time of day.
        quoting: the model that reranks spans for quotes, or None for no reranking.
        indexing: what a feature needs to index on its own.
        closing: what is pushed to it runs when the index closes.
        makers: what makes each service of the core and of the features.
        services: those, each made on first use.
    """

    settings: "Settings"
    stores: "Stores"
    access: "AccessCheck"
    scoping: "Scoping"
    kinds: "SourceKinds"
    clock: "Clock"
    quoting: "Callable[[], Embedder | None]"
    indexing: "IndexingPorts"
    closing: AsyncExitStack
    makers: "Mapping[ServiceKey[Any], Maker]"
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        """Bind the makers; none is called yet."""
        bound = {key: partial(maker, self) for key, maker in self.makers.items()}
        object.__setattr__(self, "services", Services(bound, self.stores.database.within))

    @property
    def pipeline(self) -> "Pipeline":
        """Ranks and verifies."""
        return self.services.get(PIPELINE)

    @property
    def handles(self) -> "Handles":
        """The handles of passages and pages."""
        return self.services.get(HANDLES)


Maker: TypeAlias = "Callable[[Core], Any]"
"""Makes a service; its module is loaded when it is called."""


def _no_kinds() -> "Sequence[SourceKind]":
    return ()


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature. Whatever it does not contribute it leaves empty.

    Attributes:
        name: for people who work on the program.
        kinds: loads its kinds of source.
        services: what makes each of its services.
        opened: what it does when an index opens, such as refusing settings that it cannot work with.
        sweep: what it does after each sync and every minute of a server.
        purge: what it does after each sync and every hour of a server.
        works: what it does all the time while a server runs, by the name under which failures are logged.
        holds: by the name of a group of tools, whether an index holds what they need; a kind of source names the
            group of its own (`SourceKind.tool_group`).
        page_edges: draws the edges of pages that depend on what else is indexed, for a process by the name of its
            worker; at most one feature does.
        tools: families of tools with their prompts, in the order in which a list names them.
        commands: adds its commands to the command line.
        answered: loads those of them that a server can carry out for the command line, by name.
        first_steps: loads what it asks a newcomer.
        measured_files: loads the kinds of golden files that it measures.
        grpc: loads its methods for gRPC, each of which stands for a tool.
        pages: loads its pages for a browser.
        connect_page: the page where people let a server read an account of theirs, if the settings have it read any;
            the last argument is the address by which clients know the server.
        series: loads what reads the rules of repeating dates.
        observer: what a server tells of each call that it answered, if the settings have it told.
    """

    name: str
    kinds: "Callable[[], Sequence[SourceKind]]" = _no_kinds
    services: "Mapping[ServiceKey[Any], Maker]" = field(default_factory=dict["ServiceKey[Any]", Maker])
    opened: "Callable[[Core], None] | None" = None
    sweep: "Callable[[Core], Awaitable[None]] | None" = None
    purge: "Callable[[Core], Awaitable[None]] | None" = None
    works: "Callable[[Core], Mapping[str, Callable[[], Awaitable[None]]]] | None" = None
    holds: "Mapping[str, Callable[[Core, AllowedSources], Awaitable[bool]]]" = field(
        default_factory=dict[str, "Callable[[Core, AllowedSources], Awaitable[bool]]"]
    )
    page_edges: "Callable[[Core, str], EdgeDrawing] | None" = None
    tools: "Sequence[ToolFamily]" = ()
    commands: "Callable[[CommandTree], None] | None" = None
    answered: "Callable[[], Mapping[str, AnsweredCommand]] | None" = None
    first_steps: "Callable[[], Sequence[FirstStep]] | None" = None
    measured_files: "Callable[[], Sequence[MeasuredFile]] | None" = None
    grpc: "Callable[[], Contract] | None" = None
    pages: "Callable[[], Sequence[AddedPage]] | None" = None
    connect_page: "Callable[[Settings, ServicesProvider, str | None], Route | None] | None" = None
    series: "Callable[[], SeriesReader] | None" = None
    observer: "Callable[[Settings, ServicesProvider], CallObserver | None] | None" = None
