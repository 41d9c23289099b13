"""Models that were trained with a word before each text, and are much worse without it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What stands before a question and before a document."""

    query: str = ""
    document: str = ""


_INSTRUCTED = "instruct"
_FAMILIES = (
    (("multilingual-e5", "e5-small", "e5-base", "e5-large"), Prefixes("query: ", "passage: ")),
    (("nomic-embed-text",), Prefixes("search_query: ", "search_document: ")),
    (
        ("mxbai-embed-large", "bge-small-en", "bge-base-en", "bge-large-en", "snowflake-arctic-embed"),
        Prefixes("Represent this sentence for searching relevant passages: "),
    ),
)


def prefixes_of(model: str) -> Prefixes:
    """The prefixes that the makers of a model give; none for a model that is not known to want any.

    A model that takes a free instruction is left alone: only its user knows the task.
    """
    name = model.lower()
    if _INSTRUCTED in name:
        return Prefixes()
    return next((found for families, found in _FAMILIES if any(part in name for part in families)), Prefixes())
