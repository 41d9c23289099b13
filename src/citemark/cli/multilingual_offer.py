"""The offer of the multilingual model, where the documents are in languages that the bundled model hardly reads."""

from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec

from citemark.cli.own_install import add_command
from citemark.services.app_context import AppContext
from citemark.text.languages import UNKNOWN

_SHARE = 1 / 3
"""Share of documents in other languages than English above which it is offered; over English ones the bundled model
finds more (docs/decisions/0044), and all sources have one model."""


async def documents_by_language(app: AppContext) -> Counter[str]:
    """How many documents of all sources are in each language."""
    counts: Counter[str] = Counter()
    for entry in await app.status.sources():
        counts.update(entry.languages)
    return counts


async def multilingual_offer(app: AppContext) -> str:
    """A line with what to do, or "" where the model would not help or another one is chosen."""
    if app.embedder is not app.bundled_model:
        return ""
    counts = await documents_by_language(app)
    return f"{_summary(counts)} {steps()}" if is_for(counts) else ""


def is_for(counts: Mapping[str, int]) -> bool:
    """Whether more than a third of the documents are in another language than English."""
    return _others(counts).total() > _SHARE * sum(counts.values())


def steps() -> str:
    """The commands that lead to the model: installing it, unless it is; choosing it; building its vectors."""
    chosen = 'set embedding_provider to "multilingual" in citemark.toml, or CITEMARK_EMBEDDING_PROVIDER=multilingual'
    last = f"{chosen}; `citemark sync` then builds its vectors, and until that is done nothing changes"
    if find_spec("citemark_multilingual") is not None:
        return f"A model that reads them is installed: {last}."
    return f"A model that reads them: `{add_command('multilingual', 'citemark-multilingual')}` (65 MB); {last}."


def _summary(counts: Mapping[str, int]) -> str:
    others = _others(counts)
    named = ", ".join(f"{count} {language}" for language, count in others.most_common(3))
    return (
        f"{others.total()} of {sum(counts.values())} documents are not in English ({named}), and are found by their "
        "words, hardly by their meaning."
    )


def _others(counts: Mapping[str, int]) -> Counter[str]:
    """The documents in each language that is known and not English."""
    return Counter({language: count for language, count in counts.items() if language not in {"english", UNKNOWN}})
