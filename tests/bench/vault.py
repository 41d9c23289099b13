"""A vault of notes: whether facts in properties, aliases and empty notes are found by the questions that name them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.bench.indexing import emptied
from tests.support.vault import Fact, facts, words_of_vault, write

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.evidence.budget import EvidenceLimits
from citemark.model.sources import NewSource
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import ResponseMeta
from citemark.settings import load_settings

NOTES = 300


class Checked(NamedTuple):
    """Which facts were found, and for which a word of the vault was called absent."""

    found: Sequence[Fact]
    lost: Sequence[Fact]
    called_absent: Sequence[str]


async def check(app: App, wanted: Sequence[Fact]) -> Checked:
    """Ask each question as an agent does, and for each answer where it is mentioned."""
    caller = Caller.local()
    there = frozenset(words_of_vault())
    found: list[Fact] = []
    lost: list[Fact] = []
    absent: list[str] = []
    for fact in wanted:
        evidence = await app.services.evidence.retrieve(caller, SearchRequest(fact.question), EvidenceLimits())
        page = await app.services.search.find(caller, SearchRequest(fact.question, min_score=0.0))
        quoted = [q.quote for q in evidence.quotes if q.citation.document_id.partition("#")[0] == fact.path]
        hit = any(hit.citation.document_id.partition("#")[0] == fact.path for hit in page.hits)
        (found if (any(fact.answer in quote for quote in quoted) if fact.answer else hit) else lost).append(fact)
        metas = [evidence.meta, page.meta]
        if fact.answer:
            metas.append((await app.services.search.find(caller, SearchRequest(f"Which note has {fact.answer}?"))).meta)
        absent += [f"{fact.question} {word}" for meta in metas for word in _absent(meta) if word.casefold() in there]
    return Checked(found, lost, absent)


def _absent(meta: ResponseMeta) -> Iterator[str]:
    """The words of which a response says that no document mentions them."""
    for told in (*meta.notes, meta.empty.text if meta.empty is not None else ""):
        listed = told.partition("mentions ")[2]
        yield from (word.strip(" .,;\"'") for word in listed.split())


async def vault() -> dict[str, object]:
    """Index the vault from nothing and ask for every fact."""
    data = emptied("index-vault")
    folder = data.parent / "vault-notes"
    write(folder, NOTES)
    async with open_app(load_settings(data_dir=data)) as app:
        source = await app.stores.sources.add(NewSource(name="vault", kind="docs", config={"root": str(folder)}))
        await app.sync({source.source_id: source})
        wanted = facts(NOTES)
        checked = await check(app, wanted)
    return {
        "notes": NOTES,
        "facts": len(wanted),
        "found": round(len(checked.found) / len(wanted), 4),
        "called_absent": len(checked.called_absent),
        "lost": [fact.question for fact in checked.lost],
    }
