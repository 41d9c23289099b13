"""One person sees, counts and guesses nothing of another's, by any tool and any resource, in both eras.

What is asked about Bob's things is asked as well about things that are nobody's: the answers must not differ.
"""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import pytest
from tests.integration.app.two_people import CANARIES, CONTENTS, Two, two_people
from tests.nextcloud.server import Nextcloud
from tests.support.web import MODERN

from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.services.people.source_grants import Grantee
from citemark.settings import Settings
from citemark.store import scope as scope_store
from citemark.store import sources as source_store
from citemark.tools.registry import spell
from citemark.tools.tool_catalog import EVERY_FAMILY, tools_of

LEGACY = "2025-11-25"

# {name} is one of Bob's things, or a thing of the same form that nobody has.
CALLS: dict[str, list[dict[str, Any]]] = {
    "kb_retrieve_evidence": [
        {"question": "What about the {word}?"},
        {"question": "food", "scope": {"environment": "{environment}"}},
        {"question": "food", "scope": {"doc_tags": ["{tag}"]}},
        {"question": "food", "scope": {"repositories": ["{repository}"]}},
        {"question": "food", "filters": {"doc_tag": ["{source}"]}},
        {"question": "food", "filters": {"path_prefix": "{path}"}},
    ],
    "kb_search": [
        {"query": "{word}"},
        {"query": "{word}", "cursor": "{cursor}", "page_size": 1, "top_k": 9, "options": {"min_score": 0}},
        {"query": "food", "scope": {"environment": "{environment}"}},
        {"query": "food", "read_context": {"baseline_id": "{baseline}"}},
        {"query": "food", "read_context": {"as_of": "2001-01-01T00:00:00Z"}},
    ],
    "kb_diff": [
        {"before": "{baseline}"},
        {"before": "okapi-baseline", "after": "{baseline}"},
        {"before": "okapi-baseline", "cursor": "{cursor}"},
        {"before": "okapi-baseline", "path_prefixes": ["{path}"]},
    ],
    "kb_read_excerpt": [{"passage_id": "{passage_id}"}, {"passage_id": "{cloud_passage}"}],
    "kb_expand_excerpt": [{"passage_id": "{passage_id}"}, {"passage_id": "{cloud_passage}"}],
    "kb_extract_evidence": [{"question": "food", "passage_ids": ["{passage_id}"]}],
    "kb_verify_quote": [
        {"citation": {"source": "{source}", "document_id": "{document}"}, "quote": "{quote}"},
        {
            "citation": {"source": "{source}", "document_id": "{document}", "revision_id": "{revision}"},
            "quote": "{quote}",
        },
        {"citation": {"source": "okapi-docs", "document_id": "{document}"}, "quote": "{quote}"},
    ],
    "kb_list_sources": [{}, {"cursor": "{source}"}],
    "kb_answer": [{"question": "What about the {word}?", "synthesis": "never"}],
    "nc_semantic_search": [
        {"query": "{word}"},
        {"query": "food", "labels": ["{label}"]},
        {"query": "food", "path_prefixes": ["{path}"]},
        {"query": "{word}", "cursor": "{cursor}"},
    ],
    "nc_semantic_search_answer": [{"query": "What about the {word}?", "synthesis": "never"}],
    "nc_get_vector_sync_status": [{}],
    "nc_enable_vector_sync": [{"apps": ["notes"]}],
    "nc_disable_vector_sync": [{}],
    "architecture_semanticSearch": [{"query": "{word}"}, {"query": "gate", "model": "{model}"}],
    "architecture_getContext": [{"query": "{word}"}, {"query": "gate", "model": "{model}"}],
    "architecture_getElement": [{"element": "{element}"}, {"element": "{name}"}, {"element": "x", "model": "{model}"}],
    "architecture_listElements": [{"model": "{model}"}, {"page_size": 1, "cursor": "{elements_cursor}"}],
    "architecture_listRelationships": [{"element": "{element}"}, {"model": "{model}"}],
    "architecture_searchElements": [{"query": "{word}"}, {"query": "gate", "model": "{model}"}],
    "architecture_listBaselines": [{}, {"cursor": "{baseline}"}],
    "architecture_diffBaselines": [{"before": "{baseline}"}, {"before": "okapi-baseline", "after": "{baseline}"}],
    "architecture_getView": [{"view": "{element}"}, {"model": "{model}"}],
}


@pytest.fixture
async def two(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Two]:
    async with two_people(dsn, nextcloud, tmp_path) as made:
        yield made


def filled(template: Any, values: dict[str, str]) -> Any:
    match template:
        case str():
            return template.format(**values)
        case list():
            return [filled(each, values) for each in cast("list[Any]", template)]
        case dict():
            return {key: filled(value, values) for key, value in cast("dict[str, Any]", template).items()}
        case _:
            return template


def nobodys(values: dict[str, str]) -> dict[str, str]:
    """The same in form, of a thing that never was."""
    swapped = str.maketrans("abcdefghijklmnopqrstuvwxyz0123456789", "bcdefghijklmnopqrstuvwxyza1234567890")
    return {
        key: value[:-8] + value[-8:].translate(swapped)
        if key in {"passage_id", "cloud_passage", "cursor", "elements_cursor", "scratch"}
        else "999999"
        if key == "revision"
        else value.replace(CANARIES["bob"], "tarpan")
        for key, value in values.items()
    }


async def asked_of(two: Two, version: str, values: dict[str, str]) -> dict[str, str]:
    """What Alice observes of every call with these values, by tool and arguments."""
    return {
        f"{name} {template}": await two.seen(
            "alice", version, "tools/call", values, name=name, arguments=filled(template, values)
        )
        for name, templates in CALLS.items()
        for template in templates
    }


async def differences(two: Two, version: str) -> list[str]:
    """What Alice can tell of Bob's things, and where anything of his is shown to her."""
    his, none = two.known["bob"], nobodys(two.known["bob"])
    for values in (his, none):
        await asked_of(two, version, values)  # what a first call does to her own account is done
    seen_his, seen_none = await asked_of(two, version, his), await asked_of(two, version, none)
    # Other words are closer to her own documents or further from them, whoever else has some.
    told = [call for call, seen in seen_his.items() if "{word}" not in call and seen != seen_none[call]]
    told += [call for call, seen in seen_his.items() if CONTENTS["bob"] in seen]
    uris = {**his, "mine": two.known["alice"]["scratch"]}
    mine = uris["mine"].rsplit("/", 1)[0]
    for uri in ("{scratch}", mine + "/{passage_id}", mine + "/{cloud_passage}"):
        seen = [
            await two.seen(
                "alice", version, "resources/read", {**values, "uri": filled(uri, values)}, uri=filled(uri, values)
            )
            for values in (his, none)
        ]
        if seen[0] != seen[1]:
            told.append(f"{uri}: {seen[0]} <> {seen[1]}")
    return told


def test_every_tool_is_asked() -> None:
    offered = {spell(tool.name, "underscore") for tool in tools_of(EVERY_FAMILY, Settings(), answering=True)}
    assert offered == CALLS.keys()


@pytest.mark.requirement("i12-3-isolation", "i12-3-handles", "i12-3-grants")
@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_what_is_anothers_looks_like_what_does_not_exist(two: Two, version: str) -> None:
    assert await differences(two, version) == []
    # Switching her account off and on has not touched his.
    status = await two.call("bob", version, "nc_get_vector_sync_status")
    assert status["structuredContent"]["enabled"] is True
    found = await two.call("bob", version, "nc_semantic_search", query="quagga note", score_threshold=0)
    assert "thistle barn" in json.dumps(found)


@pytest.mark.requirement("i12-3-isolation")
@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_no_answer_changes_when_everything_of_the_other_is_removed(two: Two, version: str) -> None:
    his = two.known["bob"]
    await asked_of(two, version, his)
    await two.restart("alice")
    with_him = await asked_of(two, version, his)
    for name in ("quagga-docs", "quagga-model", "quagga-cloud"):
        await two.app.sources.remove(await two.app.sources.named(name))
    await two.restart("alice")
    without_him = await asked_of(two, version, his)
    assert [call for call, seen in with_him.items() if seen != without_him[call]] == []


@pytest.mark.requirement("i12-3-isolation")
@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_the_comparison_sees_it_when_everybody_is_granted_everything(
    two: Two, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def everybody(_: Principal) -> list[str]:
        return [f"user:{two.issuer.issuer} {who}" for who in CANARIES]

    for store in (source_store, scope_store):
        monkeypatch.setattr(store, "grantees_of", everybody)
    told = await differences(two, version)
    leaking = {call.split(" ", 1)[0] for call in told}
    assert leaking >= {"kb_retrieve_evidence", "kb_search", "kb_verify_quote", "kb_list_sources", "nc_semantic_search"}
    assert {name for name in leaking if name.startswith("architecture_")} >= {
        "architecture_getElement", "architecture_listElements", "architecture_getContext",
    }  # fmt: skip


@pytest.mark.requirement("i12-3-grants")
async def test_everybody_finds_their_own_and_the_owner_all_but_accounts_of_others(two: Two) -> None:
    for who, word in CANARIES.items():
        found = await two.call(who, MODERN, "kb_list_sources")
        assert [each["name"] for each in found["structuredContent"]["sources"]] == [
            f"{word}-cloud", f"{word}-docs", f"{word}-model",
        ]  # fmt: skip
    own = await two.app.stores.sources.allowed(Principal.local(), two.app.scoping.project)
    assert sorted(source.name for source in own.sources) == ["okapi-docs", "okapi-model", "quagga-docs", "quagga-model"]


@pytest.mark.requirement("i12-3-grants", "i12-3-handles")
async def test_a_grant_that_is_taken_back_ends_handles_and_cursors_too(two: Two) -> None:
    sources = two.app.sources
    his, bob = await sources.named("quagga-docs"), Grantee(user="bob", issuer=two.issuer.issuer)
    known = two.known["bob"]
    read = {"passage_id": known["passage_id"]}
    page: dict[str, Any] = filled(CALLS["kb_search"][1], known)
    assert "quagga" in json.dumps(await two.call("bob", MODERN, "kb_read_excerpt", **read))
    await two.app.grants.revoke(his, bob)
    refused = await two.call("bob", MODERN, "kb_read_excerpt", **read)
    assert refused["isError"]
    turned = await two.call("bob", MODERN, "kb_search", **page)
    assert "quagga-docs" not in json.dumps(turned)
    with pytest.raises(InvalidArgument):
        await two.app.grants.revoke(his, bob)


@pytest.mark.requirement("i12-3-grants")
async def test_a_source_is_granted_to_groups_tokens_and_everyone_and_an_account_to_nobody(two: Two) -> None:
    grants, sources, issuer = two.app.grants, two.app.sources, two.issuer.issuer
    docs = await sources.named("quagga-docs")
    people = {
        "staff": Principal.issued(issuer, "carol", frozenset(), ["staff"]),
        "token": Principal.issued("token", "dave", frozenset()),
        "stranger": Principal.issued("https://other.example", "bob", frozenset(), ["staff"]),
    }

    async def readers() -> set[str]:
        allowed = {
            name: await two.app.stores.sources.allowed(who, two.app.scoping.project) for name, who in people.items()
        }
        return {name for name, found in allowed.items() if found.named("quagga-docs")}

    assert await readers() == set()
    await grants.grant(docs, Grantee(group="staff", issuer=issuer))
    assert await readers() == {"staff"}
    await grants.grant(docs, Grantee(token="dave"))
    assert await readers() == {"staff", "token"}
    await grants.grant(docs, Grantee(everyone=True))
    assert await readers() == {"staff", "token", "stranger"}
    await grants.revoke(docs, Grantee(everyone=True))
    assert await readers() == {"staff", "token"}
    assert [each.grantee for each in await grants.of(docs)] == [
        f"group:{issuer} staff", f"user:{issuer} bob", "user:token dave",
    ]  # fmt: skip
    with pytest.raises(InvalidArgument, match="account"):
        await grants.grant(await sources.named("quagga-cloud"), Grantee(everyone=True))


@pytest.mark.requirement("i12-3-grants")
@pytest.mark.parametrize(
    "grantee", [Grantee(), Grantee(user="a", everyone=True), Grantee(user="a"), Grantee(group="g", issuer="a b")]
)
def test_a_grant_names_exactly_one_and_the_issuer_of_users_and_groups(grantee: Grantee) -> None:
    with pytest.raises(InvalidArgument):
        grantee.stored()


@pytest.mark.requirement("i12-3-isolation")
async def test_why_a_scan_failed_names_no_place_to_people_besides_the_owner(two: Two, tmp_path: Path) -> None:
    (tmp_path / "bob").rename(tmp_path / "gone")
    await two.app.sync(await two.app.local_sources())
    asked: dict[str, Any] = {"query": "nothing like it", "options": {"min_score": 1}}
    found = await two.call("bob", MODERN, "kb_search", **asked)
    assert "not fully indexed" in json.dumps(found)
    assert str(tmp_path) not in json.dumps(found)
