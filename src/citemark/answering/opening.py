"""Puts the room together over an open index."""

from collections.abc import Callable

from citemark.answering.answers import Answers
from citemark.answering.gathering import Gathering
from citemark.answering.provider import Provider, chat_model_of
from citemark.answering.state import PURPOSE, SealedState, StateCodec
from citemark.evidence.desk import Desk
from citemark.model.clock import Clock
from citemark.retrieval.pipeline import Pipeline
from citemark.settings import Settings
from citemark.store.stores import Stores


def answers_over(
    settings: Settings,
    stores: Stores,
    pipeline: Pipeline,
    desk: Desk,
    codec: Callable[[bytes], StateCodec],
    clock: Clock,
) -> Answers:
    """Answers over what a desk reads.

    Raises:
        ConfigurationError: a setting that the provider needs is missing or malformed.
    """
    chat = chat_model_of(settings)
    return Answers(
        gathering=Gathering(
            pipeline=pipeline,
            sources=stores.sources,
            search=stores.search,
            accounts=stores.accounts,
            scoping=desk.scoping,
        ),
        embedder=desk.quoting.embedder,
        state=SealedState(lambda: stores.shared_keys.of(PURPOSE), codec, clock),
        provider=None if chat is None else Provider(chat, settings.tool_timeout),
        hint=settings.answer_model or "",
    )
