"""Ten thousand calls by which one person tries to learn of another: what is his answers as what is nobody's, as fast.

In `make test` it is a small part of that, and times are not compared.
"""

import os
import statistics
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from tests.integration.app.isolation import CALLS, READS, nobodys
from tests.integration.app.two_people import CONTENTS, Two, filled, two_people
from tests.nextcloud.server import Nextcloud
from tests.support.groups import EVERY_GROUP, tools_of
from tests.support.tool_arguments import Arguments
from tests.support.web import MODERN, request_of

from citemark.settings import Settings
from citemark.tools.registry import Registry, spell

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("CITEMARK_SOAK"))
CALLS_OF_ALL = 10_000 if LONG else 100
PAIRS = 1_000 if LONG else 2
_TRIES = 3
_SHARES = len(CALLS) if LONG else 1
_LEGACY = "2025-11-25"
_SHARE = 0.05
"""Of a median: what two medians of interleaved calls may differ by."""

_FROM_TEMPLATES = 0.4
"""Share of the calls that are known to be right but for whose things they name; the others are drawn from schemas."""

_SAME_IN_BOTH = frozenset(
    {"question", "query", "also", "quote", "type", "element_type", "layer", "doc_type", "rel_types", "kinds"}
)
"""Arguments that are compared with her own documents or with words of ours: other words would be nearer or further."""

_ACCOUNT_CHANGES = ("nc_enable_vector_sync", "nc_disable_vector_sync")

_NODES = ("element_node", "page_node", "section_node", "note_node", "label_node", "word_node", "passage_id")

_FIELDS = {
    "passage_id": ("passage_id", "element_passage", "cloud_passage"),
    "passage_ids": ("passage_id", "element_passage", "cloud_passage"),
    "doc_tags": ("tag", "label"),
    "doc_tag": ("tag", "source", "label"),
    "environment": ("environment",),
    "project_id": ("word",),
    "repositories": ("repository",),
    "path_prefix": ("path", "cloud_path"),
    "path_prefixes": ("path", "cloud_path"),
    "baseline_id": ("baseline",),
    "from": ("baseline",),
    "to": ("baseline",),
    "source": ("source", "model", "account"),
    "document_id": ("document", "element"),
    "revision_id": ("revision",),
    "quote": ("quote", "name"),
    "question": ("asked",),
    "query": ("asked", "name"),
    "element": ("element", "name"),
    "view": ("view",),
    "model": ("model",),
    "labels": ("label",),
    "cursor": ("source", "baseline"),
    "node_ids": _NODES,
    "from_ids": _NODES,
    "to_ids": _NODES,
    "section_ids": _NODES,
    "entity_ids": _NODES,
}
"""Which of a person's things may stand in which argument."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request in two spellings: about things of Bob's, and about things that are nobody's."""

    version: str
    method: str
    his: Mapping[str, Any]
    nobodys: Mapping[str, Any]


class Asking:
    """Draws what Alice asks: any tool, resource, prompt, list or completion, in either era."""

    def __init__(self, two: Two, chance: Random) -> None:
        self._chance = chance
        self._his = two.known["bob"]
        self._pairs = sorted(
            ((value, other) for (value, other) in self._both() if value != other), key=lambda pair: -len(pair[0])
        )
        self._mine = two.known["alice"]["scratch"].rsplit("/", 1)[0]
        self._arguments = Arguments(chance, kinds=("right", "right", "right", "nearly"))
        for known in two.known.values():
            cursors = [value for name, value in known.items() if name.startswith("cursor_of_")]
            learnt = {field: [known[name] for name in names] for field, names in _FIELDS.items()}
            self._arguments.learn({**learnt, "cursor": [*learnt["cursor"], *cursors]})
        registry = Registry(tools_of(EVERY_GROUP, Settings(), answering=True))
        self._schemas = {
            spell(name, "underscore"): schema
            for name in registry.names
            if (schema := registry.input_schema(name)) is not None
            and spell(name, "underscore") not in _ACCOUNT_CHANGES  # they take no names, and change what she has
        }

    def _both(self) -> list[tuple[str, str]]:
        none = nobodys(self._his)
        return [(value, none[key]) for key, value in self._his.items() if len(value) > 3]  # no number

    def next(self) -> Asked:
        """Another request."""
        chance = self._chance
        version = chance.choice((MODERN, _LEGACY))
        draw = chance.random()
        if draw < 0.85:
            name = chance.choice(sorted(self._schemas))
            his = self._call_of(name)
            return self._asked(version, "tools/call", {"name": name, "arguments": his})
        his = self._his
        thing = chance.choice(sorted(his.values()))
        if draw < 0.92:
            uri = filled(chance.choice(READS), {**his, "mine": self._mine})
            return self._asked(version, "resources/read", {"uri": uri})
        if draw < 0.94:
            return self._asked(version, "completion/complete", {
                "ref": {"type": "ref/prompt", "name": "what_changed"}, "argument": {"name": "from", "value": thing},
            })  # fmt: skip
        if draw < 0.96:
            return self._asked(version, "prompts/get", {"name": "what_changed", "arguments": {"from": thing}})
        lists = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
        return self._asked(version, chance.choice(lists), {"cursor": thing} if chance.random() < 0.5 else {})

    def _call_of(self, name: str) -> dict[str, Any]:
        drawn: dict[str, Any] = self._arguments.draw(self._schemas[name])
        if self._chance.random() < _FROM_TEMPLATES:
            return {**drawn, **filled(self._chance.choice(CALLS[name]), self._his)}
        return drawn

    def _asked(self, version: str, method: str, his: Mapping[str, Any]) -> Asked:
        return Asked(version, method, his, self._swapped(his))

    def _swapped(self, value: Any, name: str = "") -> Any:
        """The same about nobody's things."""
        if name in _SAME_IN_BOTH:
            return value
        match value:
            case str():
                for his, none in self._pairs:
                    if his in value:
                        return value.replace(his, none)
                return value
            case list():
                return [self._swapped(each, name) for each in cast("list[Any]", value)]
            case dict():
                return {key: self._swapped(each, str(key)) for key, each in cast("dict[str, Any]", value).items()}
            case _:
                return value


@pytest.fixture
async def two(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Two]:
    async with two_people(dsn, nextcloud, tmp_path) as made:
        yield made


@pytest.mark.requirement("ten-thousand-calls-show-no-difference", "one-person-learns-nothing-of-another")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_no_call_distinguishes_other_peoples_documents_from_missing_ones(two: Two) -> None:
    asking = Asking(two, Random(12))
    his = two.known["bob"]
    named = {f"his {key}": value for key, value in his.items()} | nobodys(his)
    named |= {f"cut {key}": value[:64] for key, value in named.items()}  # as errors repeat it
    found = 0
    for number in range(CALLS_OF_ALL // 2):
        asked = asking.next()
        try:
            for params in (asked.his, asked.nobodys):
                request_of(asked.method, asked.version, **params)
        except (ValueError, TypeError):
            continue
        order = (asked.his, asked.nobodys) if number % 2 else (asked.nobodys, asked.his)
        seen = [await two.seen("alice", asked.version, asked.method, named, **params) for params in order]
        assert seen[0] == seen[1], asked
        assert CONTENTS["bob"] not in seen[0], asked
        found += '"isError":false' in seen[0]
    assert found > CALLS_OF_ALL // 20, "most of it was refused before anything was looked up"


@pytest.mark.requirement("ten-thousand-calls-show-no-difference")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize(
    "names", [sorted(CALLS)[number::_SHARES] for number in range(_SHARES)], ids=lambda names: names[0]
)
async def test_documents_of_another_person_take_as_long_as_missing_ones(two: Two, names: list[str]) -> None:
    his = two.known["bob"]
    none, chance, told = nobodys(his), Random(12), list[str]()
    for name in names:
        for template in CALLS[name]:
            both = [filled(template, values) for values in (his, none)]
            if name in _ACCOUNT_CHANGES or both[0] == both[1]:
                continue
            # What another process does to the machine is not there again; a difference of ours is.
            medians = [await medians_of(two, name, both, chance)]
            while LONG and differ(*medians[-1]) and len(medians) < _TRIES:
                medians.append(await medians_of(two, name, both, chance))
            if differ(*medians[-1]):
                told.append(f"{name} {template}: {medians}")
    if LONG:
        assert not told, "\n".join(told)


def differ(his: float, nobodys: float) -> bool:
    """Whether one of two medians is further from the other than may be."""
    return abs(his - nobodys) > _SHARE * max(his, nobodys)


async def medians_of(two: Two, name: str, both: list[dict[str, Any]], chance: Random) -> list[float]:
    """Seconds that a call takes with either arguments, the two taking turns in any order."""
    took: tuple[list[float], list[float]] = ([], [])
    for _ in range(PAIRS):
        for which in chance.sample((0, 1), 2):
            began = time.perf_counter()
            await two.call("alice", MODERN, name, **both[which])
            took[which].append(time.perf_counter() - began)
    return [statistics.median(times) for times in took]
