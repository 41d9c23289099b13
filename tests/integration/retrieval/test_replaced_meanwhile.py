"""An answer during which a document is replaced: it has the document, or says that something was not looked at."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from tests.integration.retrieval.world import World

from citemark.model.candidates import MOST_FRESH
from citemark.model.scope import Filters
from citemark.services.responses import SearchPage

QUESTION = "On which port does the gateway listen?"
OTHERS = {f"{name}.md": f"The {name} sleeps all day." for name in ("cat", "dog", "owl", "bee")}
ASKED: Mapping[str, dict[str, Any]] = {
    "plainly": {},
    "with a filter": {"filters": Filters(path_prefixes=("a",))},
    "in two phrasings": {"also": ("gateway port number",)},
    "in two phrasings with a filter": {
        "also": ("gateway port number",),
        "filters": Filters(path_prefixes=("a",)),
    },
}


@contextmanager
def before_statement(
    world: World, monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], Awaitable[None]]
) -> Generator[list[int]]:
    """Act once, before the statement with that number is sent; yields the numbers that were reached."""
    usual = world.database.reading
    reached: list[int] = []
    numbers = count(1)

    async def reading(*arguments: Any, **options: Any) -> Any:
        this = next(numbers)
        reached.append(this)
        if this == number:
            monkeypatch.setattr(world.database, "reading", usual)
            await act()
            monkeypatch.setattr(world.database, "reading", reading)
        return await usual(*arguments, **options)

    monkeypatch.setattr(world.database, "reading", reading)
    try:
        yield reached
    finally:
        monkeypatch.setattr(world.database, "reading", usual)


def lacks(page: SearchPage) -> bool:
    """Whether an answer has no version of the document and does not say that something is missing."""
    return not any("gateway" in hit.preview for hit in page.hits) and page.meta.reading.settled


async def silent_at(
    world: World, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], *, flushed: bool
) -> list[int]:
    """The statements of a question before which a document can be replaced so that the answer lacks it silently."""
    source = await world.source("docs", {"a.md": "The gateway listens on port 4000.", **OTHERS})
    await world.page(QUESTION, **asked)
    silent: list[int] = []
    number, done = 0, False
    while not done:
        number += 1

        async def replaced(text: str = f"The gateway listens on port {4000 + number}.") -> None:
            if flushed:
                await world.write(source, {"a.md": text}, embedded=False)
            else:
                world.memory[source.source_id].texts["a.md"] = text
                await world.index.put(source, "a.md", text)
            await world.page(QUESTION)  # by which the process learns that the former text has ended

        with before_statement(world, monkeypatch, number, replaced) as reached:
            page = await world.page(QUESTION, **asked)
        done = number not in reached
        if not done and lacks(page):
            silent.append(number)
        await world.write(source, {}, embedded=False)
    assert number > 6
    return silent


@pytest.mark.requirement("documents-read-meanwhile")
@pytest.mark.requirement("failed-verification-shows-nothing")
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("flushed", [True, False], ids=["flushed", "unflushed"])
async def test_no_answer_lacks_a_document_silently_that_is_replaced_before_any_of_its_statements(
    world: World, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], flushed: bool
) -> None:
    assert not await silent_at(world, monkeypatch, asked, flushed=flushed)


async def _no_vectors(*_: object) -> None:
    """The model has no vector for the question."""


@pytest.mark.requirement("documents-read-meanwhile")
async def test_nor_does_one_by_words_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world.pipeline, "_embed", _no_vectors)
    assert not await silent_at(world, monkeypatch, {}, flushed=False)


@pytest.mark.requirement("documents-read-meanwhile")
async def test_more_than_is_looked_at_is_said_to_have_changed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    many = {f"{number}.md": f"Lamp {number} is lit." for number in range(MOST_FRESH)}
    source = await world.source("docs", {"a.md": "The gateway listens on port 4000."}, embedded=False)
    search = world.index.stores.search
    usual = search.terms

    async def after_many(*arguments: Any, **options: Any) -> Any:
        found = await usual(*arguments, **options)
        await world.write(source, many, embedded=False)
        many.update({name: f"{text} Again." for name, text in many.items()})
        return found

    monkeypatch.setattr(search, "terms", after_many)
    page = await world.page(QUESTION)
    assert page.meta.reading.changed == 1
    assert "1 document changed and not read again yet" in page.meta.reading.line
