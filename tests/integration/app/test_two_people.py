"""One person sees, counts and guesses nothing of another's, by any tool and any resource, in both eras.

What is asked about Bob's things is asked as well about things that are nobody's: the answers must not differ.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.integration.app.isolation import CALLS, asked_of, differences
from tests.integration.app.two_people import BOTH_SCOPES, CANARIES, CONTENTS, PAGED, Two, filled, two_people
from tests.nextcloud.server import Nextcloud
from tests.support.groups import EVERY_GROUP, tools_of
from tests.support.slow_tests import quick_first
from tests.support.web import MODERN, message_in, request_of

from citemark.model.errors import InvalidArgument
from citemark.model.scope import Principal
from citemark.model.sources import NewSource
from citemark.services.people.source_grants import Grantee
from citemark.settings import Settings
from citemark.store import scope as scope_store
from citemark.store import sources as source_store
from citemark.tools.registry import spell

LEGACY = "2025-11-25"
_OF_ACCOUNTS = {"nc_get_vector_sync_status", "nc_enable_vector_sync", "nc_disable_vector_sync"}
"""Tools in whose arguments nothing can be named."""


@pytest.fixture
async def two(dsn: str, nextcloud: Nextcloud, tmp_path: Path) -> AsyncGenerator[Two]:
    async with two_people(dsn, nextcloud, tmp_path) as made:
        yield made


def test_every_tool_is_asked() -> None:
    offered = {spell(tool.name, "underscore") for tool in tools_of(EVERY_GROUP, Settings(), answering=True)}
    assert offered == CALLS.keys()


@pytest.mark.requirement("one-person-learns-nothing-of-another")
async def test_the_same_calls_are_answered_for_ones_own_documents(two: Two) -> None:
    refused: list[str] = []
    for name in sorted(CALLS, key=_OF_ACCOUNTS.__contains__):  # these last: they end what is known of his account
        for template in CALLS[name]:
            answer = await two.call("bob", MODERN, name, **filled(template, two.known["bob"]))
            if answer.get("isError") and not any(word in str(template) for word in ("okapi", "project_id", "2001")):
                refused.append(f"{name} {template}: {answer['content'][0]['text']}")
    assert not refused, "\n".join(refused)


@pytest.mark.requirement("stored-grants-only-narrow")
async def test_a_grant_to_a_person_adds_no_scope_to_their_token_and_no_other_source(two: Two) -> None:
    search: dict[str, Any] = {
        "name": "kb_search",
        "arguments": {"query": "How often is it fed?", "options": {"min_score": 0}},
    }
    switch: dict[str, Any] = {"name": "nc_disable_vector_sync", "arguments": {}}

    async def answered(version: str, who: str, scopes: str, call: dict[str, Any]) -> tuple[int, bool]:
        body, headers = request_of("tools/call", version, **call)
        sent = headers | {"authorization": f"Bearer {two.issuer.token(who, scopes)}"}
        answer = await two.http.post(two.url, content=body, headers=sent)
        return answer.status_code, CONTENTS["alice"] in answer.text

    # Alice was granted documents and has an account; what her token may do with them is what it says.
    for version in (MODERN, LEGACY):
        assert await answered(version, "alice", "semantic:read", search) == (200, True)
        assert await answered(version, "alice", "semantic:write", search) == (403, False)
        assert await answered(version, "alice", "profile", search) == (403, False)
        assert await answered(version, "alice", "semantic:read", switch) == (403, False)
        assert await answered(version, "carol", BOTH_SCOPES, search) == (200, False)


@pytest.mark.requirement(
    "one-person-learns-nothing-of-another", "handle-of-another-looks-unknown", "sources-granted-to-people-and-groups"
)
@pytest.mark.parametrize("version", quick_first(MODERN, LEGACY))
async def test_documents_of_another_person_look_like_missing_ones(two: Two, version: str) -> None:
    assert await differences(two, version) == []
    # Switching her account off and on has not touched his.
    status = await two.call("bob", version, "nc_get_vector_sync_status")
    assert status["structuredContent"]["enabled"] is True
    found = await two.call("bob", version, "nc_semantic_search", query="quagga note", score_threshold=0)
    assert "thistle barn" in json.dumps(found)


@pytest.mark.requirement("one-person-learns-nothing-of-another")
async def test_another_persons_request_state_is_indistinguishable_from_an_invented_one(two: Two) -> None:
    sampling: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
    }
    asked: dict[str, Any] = {
        "name": "kb_answer",
        "arguments": {"question": "What is fed twice a day by its keeper?"},
        "_meta": sampling,
    }
    states = {who: await state_of(two, who, asked) for who in CANARIES}
    said = {"answer": {"role": "assistant", "content": {"type": "text", "text": "Lettuce [1]."}, "model": "m"}}
    seen = {
        kind: await two.seen(
            "alice", MODERN, "tools/call", {"state": state}, **asked, requestState=state, inputResponses=said
        )
        for kind, state in {**states, "made up": states["bob"][:-8] + "AAAAAAAA", "none": "x" * 400}.items()
    }
    assert "Invalid or expired requestState" in seen["bob"]
    assert seen["bob"] == seen["made up"] == seen["none"]
    assert "Invalid" not in seen["alice"]


async def state_of(two: Two, who: str, asked: dict[str, Any]) -> str:
    """What a call gives to its client for the second round."""
    answer = await two.ask(who, MODERN, "tools/call", **asked)
    result = json.loads(message_in(answer))["result"]
    assert "requestState" in result, result
    return result["requestState"]


@pytest.mark.requirement("one-person-learns-nothing-of-another")
@pytest.mark.parametrize("version", quick_first(MODERN, LEGACY))
async def test_no_answer_to_one_person_changes_while_documents_of_the_other_are_unread_broken_or_removed(
    two: Two, version: str
) -> None:
    his = two.known["bob"]

    async def changed() -> list[str]:
        await two.restart("alice")
        now = await asked_of(two, version, his)
        return [call for call, seen in before.items() if seen != now[call]]

    await asked_of(two, version, his)
    await two.restart("alice")
    before = await asked_of(two, version, his)
    place = Path((await two.app.sources.named("quagga-docs")).config["root"])
    for number in range(20):
        (place / f"new-{number}.md").write_text(f"# New\n\nThe quagga has {number} days of thistle.\n")
    source = await two.app.sources.named("quagga-docs")
    indexer = two.app.indexer()
    await indexer.scan(source.source_id, two.app.connectors.of(source))
    assert await indexer.texts_waiting({source.source_id: source}) == 20
    await asyncio.to_thread(place.rename, place.with_name("gone"))
    await indexer.scan(source.source_id, two.app.connectors.of(source))
    await indexer.release()
    assert await changed() == []
    for name in ("quagga-docs", "quagga-model", "quagga-cloud"):
        await two.app.sources.remove(await two.app.sources.named(name))
    assert await changed() == []


def grant_everything(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the restriction to one's own sources away."""

    def everybody(_: Principal) -> list[str]:
        return [f"user:{two.issuer.issuer} {who}" for who in CANARIES]

    for store in (source_store, scope_store):
        monkeypatch.setattr(store, "grantees_of", everybody)


@pytest.mark.slow
@pytest.mark.requirement("one-person-learns-nothing-of-another", "ten-thousand-calls-show-no-difference")
@pytest.mark.parametrize("version", [MODERN, LEGACY])
async def test_the_comparison_detects_that_everybody_is_granted_everything(
    two: Two, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant_everything(two, monkeypatch)
    told = await differences(two, version)
    handles = {"kb_read_excerpt", "kb_expand_excerpt", "kb_extract_evidence"}
    assert {call.split(" ", 1)[0] for call in told} >= CALLS.keys() - handles - _OF_ACCOUNTS


@pytest.mark.slow
@pytest.mark.requirement("handle-of-another-looks-unknown", "ten-thousand-calls-show-no-difference")
async def test_the_comparison_detects_that_handles_and_cursors_belong_to_everybody(
    two: Two, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = Principal.issued(two.issuer.issuer, "bob", frozenset()).key
    grant_everything(two, monkeypatch)
    monkeypatch.setattr(Principal, "key", bob)
    told = set(await differences(two, MODERN))
    by_handle = {
        f"{name} {template}"
        for name, templates in CALLS.items()
        for template in templates
        if "cursor_of" in str(template) or "passage}" in str(template) or "passage_id}" in str(template)
    }
    assert told >= by_handle | {"{scratch}"}


@pytest.mark.requirement("sources-granted-to-people-and-groups")
async def test_everyone_finds_their_own_sources_and_the_owner_all_but_accounts_of_others(two: Two) -> None:
    for who, word in CANARIES.items():
        found = await two.call(who, MODERN, "kb_list_sources")
        assert [each["name"] for each in found["structuredContent"]["sources"]] == [
            f"{word}-cloud", f"{word}-docs", f"{word}-model",
        ]  # fmt: skip
    own = await two.app.stores.sources.allowed(Principal.local(), two.app.scoping.project)
    assert sorted(source.name for source in own.sources) == ["okapi-docs", "okapi-model", "quagga-docs", "quagga-model"]


@pytest.mark.requirement("sources-granted-to-people-and-groups", "handle-of-another-looks-unknown")
async def test_a_grant_that_is_taken_back_ends_handles_and_cursors_too(two: Two) -> None:
    sources = two.app.sources
    his, bob = await sources.named("quagga-docs"), Grantee(user="bob", issuer=two.issuer.issuer)
    known = two.known["bob"]
    read = {"passage_id": known["passage_id"]}
    page: dict[str, Any] = filled({**PAGED["kb_search"], "cursor": "{cursor_of_kb_search}"}, known)
    assert "quagga" in json.dumps(await two.call("bob", MODERN, "kb_read_excerpt", **read))
    await two.app.grants.revoke(his, bob)
    refused = await two.call("bob", MODERN, "kb_read_excerpt", **read)
    assert refused["isError"]
    turned = await two.call("bob", MODERN, "kb_search", **page)
    assert "quagga-docs" not in json.dumps(turned)
    with pytest.raises(InvalidArgument):
        await two.app.grants.revoke(his, bob)


@pytest.mark.requirement("sources-granted-to-people-and-groups")
async def test_a_source_can_be_granted_to_groups_tokens_and_everyone_but_an_account_cannot_be_granted(two: Two) -> None:
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


@pytest.mark.requirement("sources-granted-to-people-and-groups")
@pytest.mark.parametrize(
    "grantee", [Grantee(), Grantee(user="a", everyone=True), Grantee(user="a"), Grantee(group="g", issuer="a b")]
)
def test_a_grant_names_exactly_one_and_the_issuer_of_users_and_groups(grantee: Grantee) -> None:
    with pytest.raises(InvalidArgument):
        grantee.stored()


@pytest.mark.requirement("one-person-learns-nothing-of-another")
async def test_why_a_scan_failed_names_no_place_to_people_besides_the_owner(two: Two, tmp_path: Path) -> None:
    (tmp_path / "bob").rename(tmp_path / "gone")
    await two.app.sync(await two.app.local_sources())
    asked: dict[str, Any] = {"query": "nothing like it", "options": {"min_score": 1}}
    found = await two.call("bob", MODERN, "kb_search", **asked)
    assert "was incomplete" in json.dumps(found)
    assert str(tmp_path) not in json.dumps(found)


@pytest.mark.requirement("one-person-learns-nothing-of-another", "edge-needs-both-ends-in-fence")
async def test_a_text_that_mentions_a_page_tells_only_those_who_may_read_the_page(two: Two, tmp_path: Path) -> None:
    texts = {
        "handbook": "# Work\n\nAfter the falcon rollout everybody rests.\n",
        "secret": "# Falcon rollout\n\nIn May.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text(text)
        config = {"root": str(tmp_path / name)}
        await two.app.stores.sources.add(NewSource(name, "docs", config), grantee="user:owner")
    for who in CANARIES:
        await two.app.grants.grant(await two.app.sources.named("handbook"), Grantee(user=who, issuer=two.issuer.issuer))
    bob = Grantee(user="bob", issuer=two.issuer.issuer)
    await two.app.grants.grant(await two.app.sources.named("secret"), bob)
    await two.app.sync(await two.app.local_sources())
    section = "handbook:section:page.md#work"
    for name, arguments in (
        ("graph_expand", {"node_ids": [section], "max_hops": 3}),
        ("graph_entities_for_sections", {"section_ids": [section]}),
        ("graph_expand", {"node_ids": [":term:falcon rollo"]}),
    ):
        found = {who: json.dumps(await two.call(who, MODERN, name, **arguments)).lower() for who in CANARIES}
        assert "falcon rollout" in found["bob"]
        assert "falcon rollout" not in found["alice"]
    refused = [
        (await two.call("alice", MODERN, "graph_expand", node_ids=[f":term:{name}"]))["content"][0]["text"]
        for name in ("falcon rollout", "falcon rollouz")
    ]
    assert refused[0].replace("rollout", "rollouz") == refused[1]
    counted = {who: await two.call(who, MODERN, "graph_describe") for who in CANARIES}
    mentions = {who: found["structuredContent"]["edges"].get("mentions", 0) for who, found in counted.items()}
    assert mentions["bob"] == mentions["alice"] + 1
