"""What differs between providers: the request, and where the vectors are in the response."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, assert_never, cast
from urllib.parse import quote

from citemark.embedding.providers.recipe import Recipe

_AZURE_VERSION = "2024-10-21"
"""The newest version of the API that is not a preview."""


class Purpose(StrEnum):
    """What a text is for: some models embed questions differently from documents."""

    QUERY = "query"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Call:
    """One request; `headers` hold the key."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class MalformedReply(ValueError):
    """A response lacks what the protocol promises; the message says what."""


class Dialect(Protocol):
    """The form of one provider's requests and responses."""

    def call(self, recipe: Recipe, key: str | None, texts: Sequence[str], purpose: Purpose) -> Call:
        """The request for the vectors of `texts`, which already have their prefixes."""
        ...

    def vectors(self, answer: Any, count: int) -> list[Any]:
        """One vector per text, in the order of the request; only the number of vectors is checked.

        Raises:
            MalformedReply: the response has another shape, or vectors for another number of texts.
        """
        ...


class OpenAI:
    """OpenAI and compatible servers: Ollama, Text Embeddings Inference, vLLM, LiteLLM and others."""

    def call(self, recipe: Recipe, key: str | None, texts: Sequence[str], purpose: Purpose) -> Call:
        """POST {url}/embeddings."""
        _ = purpose
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return Call(f"{recipe.url}/embeddings", headers, _openai_body(recipe, texts))

    def vectors(self, answer: Any, count: int) -> list[Any]:
        """The vectors in `data`, put in order by their `index`."""
        found: dict[int, Any] = {}
        rows = _list_in(answer, "data")
        for position, row in enumerate(rows):
            if not isinstance(row, dict) or "embedding" not in row:
                raise MalformedReply("has an entry without `embedding`")
            entry = cast("dict[str, Any]", row)
            index = entry.get("index", position)
            if not isinstance(index, int):
                raise MalformedReply("has an `index` that is not a number")
            found[index] = entry["embedding"]
        if len(rows) != count or set(found) != set(range(count)):
            raise MalformedReply(f"has {len(found)} vectors for {count} texts")
        return [found[position] for position in range(count)]


class Azure(OpenAI):
    """Azure OpenAI: the path names the deployment, and the key has a header of its own."""

    def call(self, recipe: Recipe, key: str | None, texts: Sequence[str], purpose: Purpose) -> Call:
        """POST {url}/openai/deployments/{model}/embeddings."""
        _ = purpose
        path = f"openai/deployments/{quote(recipe.model, safe='')}/embeddings?api-version={_AZURE_VERSION}"
        body = {name: value for name, value in _openai_body(recipe, texts).items() if name != "model"}
        return Call(f"{recipe.url}/{path}", {"api-key": key} if key else {}, body)


class Cohere:
    """Cohere's v2 API: the request says whether texts are questions or documents, and that they must not be cut."""

    def call(self, recipe: Recipe, key: str | None, texts: Sequence[str], purpose: Purpose) -> Call:
        """POST {url}/v2/embed."""
        body: dict[str, Any] = {
            "model": recipe.model,
            "texts": list(texts),
            "input_type": f"search_{purpose}",
            "embedding_types": ["float"],
            "truncate": "NONE",
        }
        if recipe.dimensions is not None:
            body["output_dimension"] = recipe.dimensions
        return Call(f"{recipe.url}/v2/embed", {"Authorization": f"Bearer {key}"} if key else {}, body)

    def vectors(self, answer: Any, count: int) -> list[Any]:
        """The vectors in `embeddings.float`."""
        rows = _list_in(answer, "embeddings", "float")
        if len(rows) != count:
            raise MalformedReply(f"has {len(rows)} vectors for {count} texts")
        return rows


def dialect_of(recipe: Recipe) -> Dialect:
    """The dialect of a recipe's provider."""
    match recipe.provider:
        case "openai":
            return OpenAI()
        case "azure":
            return Azure()
        case "cohere":
            return Cohere()
        case _:
            assert_never(recipe.provider)


def _list_in(answer: Any, *path: str) -> list[Any]:
    found = answer
    for name in path:
        found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
    if not isinstance(found, list):
        raise MalformedReply(f"has no list `{'.'.join(path)}`")
    return cast("list[Any]", found)


def _openai_body(recipe: Recipe, texts: Sequence[str]) -> dict[str, Any]:
    body: dict[str, Any] = {"model": recipe.model, "input": list(texts)}
    if recipe.dimensions is not None:
        body["dimensions"] = recipe.dimensions
    return body
