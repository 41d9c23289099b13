"""Alice and Bob on one process and one database, each with documents, a model and an account of their own."""

import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx2
from tests.nextcloud.server import Nextcloud
from tests.support.issuer import Issuer
from tests.support.model_files import E, R, Sketch
from tests.support.patience import HANG_SECONDS
from tests.support.web import NO_AUTHORITIES, message_in, request_of, web_server

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.features.nextcloud.declaration import ACCOUNTS
from citemark.model.source_labels import SourceLabels
from citemark.model.sources import NewSource
from citemark.services.answer_keys import ANSWERS
from citemark.services.history_keys import BASELINES
from citemark.services.people.source_grants import Grantee
from citemark.settings import Settings

BOTH_SCOPES = "semantic:read semantic:write"
CANARIES = {"alice": "okapi", "bob": "quagga"}
"""A word that only this person's documents, titles, paths, tags, elements and notes hold."""

CONTENTS = {"alice": "lettuce", "bob": "thistle"}
"""A word of this person's texts that no question names."""

PAGED: dict[str, dict[str, Any]] = {
    "kb_search": {"query": "{asked}", "page_size": 1, "top_k": 20, "options": {"min_score": 0}},
    "kb_diff": {"from": "{baseline}", "page_size": 1},
    "nc_semantic_search": {"query": "{asked}", "limit": 1, "score_threshold": 0},
    "architecture_semanticSearch": {"query": "{asked}", "page_size": 1, "top_k": 9, "min_score": 0},
    "architecture_searchElements": {"query": "{name}", "page_size": 1},
    "architecture_listElements": {"page_size": 1},
    "architecture_listRelationships": {"page_size": 1},
    "architecture_getView": {"view": "{view}", "page_size": 1},
    "architecture_diffBaselines": {"from": "{baseline}", "page_size": 1},
    "graph_expand": {"node_ids": ["{element_node}"], "page_size": 1},
    "graph_paths": {"from_ids": ["{element_node}"], "to_ids": ["{other_node}"], "page_size": 1},
    "graph_parents": {"node_ids": ["{page_node}", "{section_node}", "{element_node}", "{note_node}"], "page_size": 1},
    "graph_children": {"node_ids": ["{page_node}", "{folder_node}"], "page_size": 1},
    "graph_entities_for_sections": {"section_ids": ["{note_node}"], "page_size": 1},
    "graph_sections_for_entities": {"entity_ids": ["{label_node}"], "page_size": 1},
}
"""A first page of every tool that has a second; `{name}` is one of a person's things."""

_VOLATILE = (
    (re.compile(r"(?<![\w-])(?:[\w-]{22}|p_[\w-]{10})(?![\w-])", re.ASCII), "HANDLE"),
    (re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)"), "TIME"),
    # Revisions are numbered through the whole index; re-reading her own account gives hers new numbers.
    (re.compile(r'"(?:current_)?revision_id":"\d+"'), '"revision_id":"N"'),
    (re.compile(r"\brevision \d+"), "revision N"),
    (re.compile(r"\d+ s ago"), "AGO"),
    (re.compile(r'"(lag_seconds|tokens_estimate|bytes_returned)":\d+'), r'"\1":0'),
)


@dataclass
class Two:
    """Both people and their server."""

    app: App
    issuer: Issuer
    url: str
    http: httpx2.AsyncClient
    known: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    async def ask(self, who: str, version: str, method: str, **params: Any) -> httpx2.Response:
        body, headers = request_of(method, version, **params)
        token = self.issuer.token(who, BOTH_SCOPES)
        return await self.http.post(self.url, content=body, headers=headers | {"authorization": f"Bearer {token}"})

    async def call(self, who: str, version: str, name: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.ask(who, version, "tools/call", name=name, arguments=arguments)
        return json.loads(message_in(answer))["result"]

    async def restart(self, who: str) -> None:
        """Switch somebody's account on again and bring the index up to it."""
        await self.call(who, "2026-07-28", "nc_enable_vector_sync", apps=["notes"])
        await self.app.sync(await self.app.local_sources())

    async def seen(self, who: str, version: str, method: str, named: Mapping[str, str], **params: Any) -> str:
        """All that somebody can observe of an answer, without what differs each time or repeats what they said."""
        answer = await self.ask(who, version, method, **params)
        text = message_in(answer)
        for value in sorted((each for each in named.values() if len(each) > 3), key=len, reverse=True):  # no number
            text = text.replace(json.dumps(value)[1:-1], "NAMED")
        for pattern, short in _VOLATILE:
            text = pattern.sub(short, text)
        kept = {name: value for name, value in answer.headers.items() if name not in {"date", "content-length"}}
        return f"{answer.status_code} {sorted(kept.items())} {text}"


def filled(template: Any, values: Mapping[str, str]) -> Any:
    """A template with these values."""
    match template:
        case str():
            return template.format(**values)
        case list():
            return [filled(each, values) for each in cast("list[Any]", template)]
        case dict():
            return {key: filled(value, values) for key, value in cast("dict[str, Any]", template).items()}
        case _:
            return template


async def _fill(app: App, folder: Path, server: Nextcloud, who: str, issuer: Issuer) -> None:
    """Sources of every kind that are one person's."""
    word, food = CANARIES[who], CONTENTS[who]
    place = folder / who / word
    place.mkdir(parents=True)
    (place / f"{word}.md").write_text(
        f"# The {word} file\n\nThe {word} is fed twice a day with fresh {food} by its keeper.\n"
    )
    model = folder / who / f"{word}.xml"
    model.write_bytes(_model(who, 2).exchange())
    grantee = Grantee(user=who, issuer=issuer.issuer)
    labels = SourceLabels((f"{word}-tag",), environment=f"{word}-env", repository=f"{word}-repo")
    for name, kind, config in (
        (f"{word}-docs", "docs", {"root": str(folder / who)}),
        (f"{word}-model", "archimate", {"path": str(model), "capability": "architecture"}),
    ):
        source = await app.stores.sources.add(NewSource(name, kind, config, labels=labels), grantee="user:owner")
        await app.grants.grant(source, grantee)
    for note, where in (("note", "barn at night"), ("memo", "yard at noon")):
        text = f"The {word} sleeps in the {food} {where}."
        server.world.notes.add(who, f"{word} {note}", text, f"{word}-category")
    account = NewSource(f"{word}-cloud", "nextcloud", {"server": server.url, "login": who, "user": who})
    source = await app.stores.sources.add(account, grantee=grantee.stored())
    await app.services.get(ACCOUNTS).credentials(source).keep(who, server.password(who))


def _model(who: str, size: int) -> Sketch:
    """A model of so many elements, each serving the first, and all in one view."""
    word, food = CANARIES[who], CONTENTS[who]
    names = [f"{word} store", *(f"{word} gate {number}" for number in range(2, size + 1))]
    elements = [
        E(f"{word}-{number}", name=name, documentation=f"Keeps {food} for the {word}.")
        for number, name in enumerate(names, start=1)
    ]
    links = [R("Serving", each.id, elements[0].id) for each in elements[1:]]
    nodes = "".join(
        f'<node identifier="n{each.id}" xsi:type="Element" elementRef="{each.id}" x="{100 * at}" y="0" w="90" h="50"/>'
        for at, each in enumerate(elements)
    )
    view = f'<view identifier="{word}-view" xsi:type="Diagram"><name>{word} plan</name>{nodes}</view>'
    return Sketch(elements, links, view)


def _go_on(folder: Path, who: str) -> None:
    """Change one person's documents and model after a baseline was made."""
    word, food = CANARIES[who], CONTENTS[who]
    for number in (2, 3):
        (folder / who / word / f"{word}-{number}.md").write_text(
            f"# More {word}\n\nThe {food} of day {number} is fresh.\n"
        )
    (folder / who / f"{word}.xml").write_bytes(_model(who, 4).exchange())


async def _handles(two: Two, who: str) -> dict[str, str]:
    """What this person's things are called, and what their own calls gave them: nobody else can use it."""
    word, version = CANARIES[who], "2026-07-28"
    known = {
        "word": word,
        "asked": f"What about the {word}?",
        "source": f"{word}-docs",
        "document": f"{word}/{word}.md#the-{word}-file",
        "model": f"{word}-model",
        "account": f"{word}-cloud",
        "element": f"{word}-1",
        "name": f"{word} store",
        "view": f"{word}-view",
        "element_node": f"{word}-model:element:{word}-1",
        "other_node": f"{word}-model:element:{word}-2",
        "page_node": f"{word}-docs:page:{word}/{word}.md",
        "folder_node": f"{word}-docs:folder:{word}",
        "section_node": f"{word}-docs:section:{word}/{word}.md#the-{word}-file",
        "label_node": f":label:{word}-category",
        "word_node": f":term:{word} store",
        "environment": f"{word}-env",
        "repository": f"{word}-repo",
        "tag": f"{word}-tag",
        "baseline": f"{word}-baseline",
        "label": f"{word}-category",
        "path": f"{word}/",
        "cloud_path": f"Notes/{word}-category/",
        "quote": f"The {word} is fed twice a day",
    }

    async def asked(name: str, **arguments: Any) -> dict[str, Any]:
        answer = await two.call(who, version, name, **filled(arguments, known))
        return answer["structuredContent"]

    noted = await asked("nc_semantic_search", query="{asked}", limit=1, score_threshold=0)
    known["note_node"] = f"{word}-cloud:note:{noted['results'][0]['citation']['document_id']}"
    for name, arguments in PAGED.items():
        known[f"cursor_of_{name}"] = (await asked(name, **arguments))["next_cursor"]
        assert known[f"cursor_of_{name}"], f"{name} has no second page"
    found = await asked("kb_search", **{**PAGED["kb_search"], "page_size": 20})
    hit = next(each for each in found["results"] if each["citation"]["document_id"] == known["document"])
    element = next(each for each in found["results"] if each["citation"]["source"] == known["model"])
    cloud = await asked("nc_semantic_search", **PAGED["nc_semantic_search"])
    return known | {
        "passage_id": hit["passage_id"],
        "scratch": hit["scratch_uri"],
        "revision": hit["citation"]["revision_id"],
        "element_passage": element["passage_id"],
        "cloud_passage": cloud["results"][0]["passage_id"],
    }


@asynccontextmanager
async def two_people(dsn: str, server: Nextcloud, folder: Path) -> AsyncGenerator[Two]:
    """Both, with all that is theirs indexed."""
    issuer = Issuer()
    given: dict[str, Any] = {"database_url": dsn, "data_dir": folder / "data", "verify_cache": 0}
    async with open_app(Settings(**given)) as app:
        for who in CANARIES:
            await _fill(app, folder, server, who, issuer)
        await app.sync(await app.local_sources())
        for word in CANARIES.values():
            await app.services.get(BASELINES).create(f"{word}-baseline", [f"{word}-docs", f"{word}-model"])
        for who in CANARIES:
            _go_on(folder, who)
        await app.sync(await app.local_sources())
        async with (
            web_server(
                app.services, token="owner", reader=issuer.reader(), answers=app.services.get(ANSWERS), **given
            ) as base,
            httpx2.AsyncClient(timeout=HANG_SECONDS, verify=NO_AUTHORITIES) as http,
        ):
            two = Two(app, issuer, f"{base}/mcp", http)
            for who in CANARIES:
                two.known[who] = await _handles(two, who)
            yield two
