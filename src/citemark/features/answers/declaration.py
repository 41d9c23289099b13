"""What answers in words contribute."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from citemark.feature import Core, Feature
from citemark.services.answer_keys import ANSWERS
from citemark.services.question_rephrasing import REPHRASING
from citemark.tools.families import ToolFamily, always

if TYPE_CHECKING:
    from citemark.cli.command_context import AnsweredCommand
    from citemark.cli.command_tree import CommandTree
    from citemark.cli.measured_file import MeasuredFile
    from citemark.grpc_api.methods import Contract
    from citemark.services.answers import AnswerService
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.registry import Tool
    from citemark.web.added_page import AddedPage


def _answers(core: Core) -> "AnswerService":
    """The service that generates answers from the same evidence that the other services show.

    Raises:
        ConfigurationError: a setting that the provider needs is missing or malformed.
    """
    from citemark.answering.provider import Provider, chat_model_of
    from citemark.answering.state import PURPOSE, SealedState
    from citemark.services.answer_evidence import EvidenceCollector
    from citemark.services.answers import AnswerService
    from citemark.services.rephrasing import RephraseService
    from citemark.tools.request_state import RequestStateCodec

    settings, stores = core.settings, core.stores
    chat = chat_model_of(settings)
    state = SealedState(lambda: stores.shared_keys.of(PURPOSE), RequestStateCodec, core.clock)
    provider = None if chat is None else Provider(chat, settings.tool_timeout)
    hint = settings.answer_model or ""
    made = AnswerService(
        collector=EvidenceCollector(
            pipeline=core.pipeline,
            sources=stores.sources,
            search=stores.search,
            documents=stores.documents,
            scoping=core.scoping,
        ),
        embedder=core.quoting,
        state=state,
        provider=provider,
        hint=hint,
        rephrasing=RephraseService(state, provider, hint),
    )
    core.closing.push_async_callback(made.close)
    return made


def _kb_answer(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.tools.answer_tools import KB_ANSWER

    return (KB_ANSWER,)


def _nc_answer(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.tools.answer_tools import NC_ANSWER

    return (NC_ANSWER,)


def _commands(tree: "CommandTree") -> None:
    from citemark.cli.ask_options import ask

    tree.root.command()(ask)


def _answered() -> "Mapping[str, AnsweredCommand]":
    from citemark.cli.ask_command import answered_ask

    return {"ask": answered_ask}


def _measured_files() -> "Sequence[MeasuredFile]":
    from citemark.cli.measured_file import MeasuredFile
    from citemark.evaluation.answers_checked import holds_answers, run_answers

    refusal = "--html and --against are for questions; checked answers give text or --json."
    return (MeasuredFile(holds_answers, run_answers, refusal),)


def _grpc() -> "Contract":
    from citemark.grpc_api.answer_methods import ANSWER_METHODS

    return ANSWER_METHODS


def _pages() -> "tuple[AddedPage, ...]":
    from citemark.web.added_page import AddedPage
    from citemark.web.ask_page import ask

    return (AddedPage(ask, "Ask", asks_model=True),)


def _opened(core: Core) -> None:
    """A model that the settings name is made at once: what is wrong with them is said by every command."""
    if core.settings.answer_url is not None:
        core.services.get(ANSWERS)


ANSWERS_FEATURE = Feature(
    "answers",
    services={ANSWERS: _answers, REPHRASING: lambda core: core.services.get(ANSWERS).rephrasing},
    opened=_opened,
    tools=(
        ToolFamily(_kb_answer),
        ToolFamily(_nc_answer, frozenset({"nextcloud"}), always),
    ),
    commands=_commands,
    answered=_answered,
    measured_files=_measured_files,
    grpc=_grpc,
    pages=_pages,
)
