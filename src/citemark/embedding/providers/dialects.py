"""What differs between providers: the request, the place of the vectors in the answer, the words of an error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, cast
from urllib.parse import quote

from citemark.embedding.providers.recipe import Recipe

_AZURE_VERSION = "2024-10-21"


class Purpose(StrEnum):
    """What a text is: some models embed a question in another way than what answers it."""

    QUERY = "query"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Call:
    """One request; `headers` hold the key."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class Malformed(ValueError):
    """An answer lacks what the protocol promises; says what."""


class Dialect(Protocol):
    """One provider's way to ask and to answer."""

    def call(self, recipe: Recipe, key: str | None, texts: Sequence[str], purpose: Purpose) -> Call:
        """The request for the vectors of `texts`, which have their prefixes already."""
        ...

    def vectors(self, answer: Any, count: int) -> list[Any]:
        """One vector per text in the order asked, unchecked but for their number.

        Raises:
            Malformed: the answer is of another shape, or for another number of texts.
        """
        ...


class OpenAI:
    """OpenAI, and all who speak as it does: Ollama, Text Embeddings Inference, vLLM, LiteLLM and others."""

    def call(self, recipe: Recipe, key: str | None, texts: Sequence[str], purpose: Purpose) -> Call:
        """POST {url}/embeddings."""
        _ = purpose
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return Call(f"{recipe.url}/embeddings", headers, _openai_body(recipe, texts))

    def vectors(self, answer: Any, count: int) -> list[Any]:
        """Those of `data`, put in order by their `index`."""
        found: dict[int, Any] = {}
        rows = _list_in(answer, "data")
        for place, row in enumerate(rows):
            if not isinstance(row, dict) or "embedding" not in row:
                raise Malformed("has an entry without `embedding`")
            entry = cast("dict[str, Any]", row)
            index = entry.get("index", place)
            if not isinstance(index, int):
                raise Malformed("has an `index` that is no number")
            found[index] = entry["embedding"]
        if len(rows) != count or set(found) != set(range(count)):
            raise Malformed(f"has {len(found)} vectors for {count} texts")
        return [found[place] for place in range(count)]


class Azure(OpenAI):
    """Azure OpenAI: the deployment stands in the path and the key in a header of its own."""

    def call(self, recipe: Recipe, key: str | None, texts: Sequence[str], purpose: Purpose) -> Call:
        """POST {url}/openai/deployments/{model}/embeddings."""
        _ = purpose
        path = f"openai/deployments/{quote(recipe.model, safe='')}/embeddings?api-version={_AZURE_VERSION}"
        body = {name: value for name, value in _openai_body(recipe, texts).items() if name != "model"}
        return Call(f"{recipe.url}/{path}", {"api-key": key} if key else {}, body)


class Cohere:
    """Cohere's v2 API, which is told whether a text asks or answers, and not to cut it."""

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
        """Those of `embeddings.float`."""
        rows = _list_in(answer, "embeddings", "float")
        if len(rows) != count:
            raise Malformed(f"has {len(rows)} vectors for {count} texts")
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


def _list_in(answer: Any, *path: str) -> list[Any]:
    found = answer
    for name in path:
        found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
    if not isinstance(found, list):
        raise Malformed(f"has no list `{'.'.join(path)}`")
    return cast("list[Any]", found)


def _openai_body(recipe: Recipe, texts: Sequence[str]) -> dict[str, Any]:
    body: dict[str, Any] = {"model": recipe.model, "input": list(texts)}
    if recipe.dimensions is not None:
        body["dimensions"] = recipe.dimensions
    return body
