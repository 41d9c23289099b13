"""The gRPC server with a real client: who is answered, how failures are told, what is limited, and how it ends."""

# gRPC's calls on a channel are generic in types that only generated stubs would give.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import asyncio
from collections.abc import AsyncGenerator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_reflection.v1alpha.reflection_pb2 import ServerReflectionRequest, ServerReflectionResponse
from tests.support.certificates import self_signed
from tests.support.grpc_calls import PATHS, asked, details_of, request_for, send, with_token
from tests.support.grpc_servers import grpc_server
from tests.support.issuer import Issuer
from tests.support.malformed import mangled, outcomes
from tests.unit.answering.papers import document
from tests.unit.services.test_answers import answering
from tests.unit.tools.clients import connected
from tests.unit.tools.double import TEXTS, DoubleServices

from citemark.grpc_api.grpc_server import MAX_REQUEST_BYTES, Certificate, GrpcServer
from citemark.grpc_api.methods import EVIDENCE
from citemark.model.completions import Generated
from citemark.model.errors import BackendUnavailable, BudgetExceeded, ConfigurationError, TimedOut
from citemark.model.scope import Principal
from citemark.query.v1.evidence_pb2 import AnswerResponse, EvidenceServiceSearchRequest
from citemark.query.v1.evidence_pb2_grpc import EvidenceServiceStub
from citemark.services.people.admission import RefusedRequest
from citemark.services.people.call_limits import CallLimits, LimitSettings
from citemark.services.people.failed_requests import FailedRequests
from citemark.services.people.strangers import StrangerLimits
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchPage
from citemark.tools.seen_calls import SeenCall
from citemark.tools.server import Health

SEARCH = request_for("kb.search", {"query": "port"})
HEALTH = "/grpc.health.v1.Health/Check"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"


@pytest.fixture
async def channel() -> AsyncGenerator[grpc.aio.Channel]:
    """A client of a server that serves everybody."""
    async with grpc_server(DoubleServices()) as address, grpc.aio.insecure_channel(address) as made:
        yield made


async def failure(
    channel: grpc.aio.Channel, raw: bytes, token: str | None = None, **options: Any
) -> grpc.aio.AioRpcError:
    """How a search ends that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await send(channel, "kb.search", raw, token)
    return caught.value


async def test_a_search_is_answered_as_over_mcp_and_says_what_it_weighs() -> None:
    services = DoubleServices()
    async with (
        grpc_server(services) as address,
        grpc.aio.insecure_channel(address) as channel,
        connected(services) as mcp,
    ):
        stub = EvidenceServiceStub(channel)
        answer = await stub.Search(EvidenceServiceSearchRequest(query="port", page_size=2))
        other = (await mcp.call_tool("kb_search", {"query": "port", "page_size": 2})).structured_content
    assert [hit.preview for hit in answer.results] == [hit["preview"] for hit in other["results"]]
    assert answer.next_cursor.value == other["next_cursor"]
    assert (answer.partial, answer.limit_reason) == (True, "page_size")
    assert answer.usage.bytes_returned == answer.ByteSize()
    assert answer.usage.tokens_estimate == -(-answer.ByteSize() // 4)
    assert not answer.results[0].HasField("score"), "what MCP leaves out stays unset"


async def test_the_citation_of_a_hit_goes_into_verify_quote_as_it_is(channel: grpc.aio.Channel) -> None:
    found = await asked(channel, "kb.search", {"query": "port"})
    citation = found["results"][0]["citation"]
    checked = await asked(channel, "kb.verify_quote", {"citation": citation, "quote": TEXTS[0]})
    assert checked["holds"] == "exact"
    excerpt = await asked(channel, "kb.read_excerpt", {"passage_id": found["results"][0]["passage_id"]})
    assert excerpt["excerpt"] == TEXTS[0]


@pytest.mark.requirement("grpc-errors")
async def test_wrong_arguments_are_named_for_people_and_for_programs(channel: grpc.aio.Channel) -> None:
    error = await failure(
        channel, request_for("kb.search", {"query": "port", "options": {"min_score": 3}, "top_k": 99})
    )
    info, request, _ = details_of(error)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (info.reason, info.domain) == ("INVALID_ARGUMENT", "citemark")
    assert {each.field: each.description for each in request.field_violations} == {
        "options.min_score": "must be from 0 to 1",
        "top_k": "must be from 1 to 20",
    }


@pytest.mark.requirement("grpc-errors", "grpc-own-messages")
@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("kb.retrieve_evidence", {"question": "port", "max_bytes": 9}, "budget.max_bytes"),
        ("architecture.getContext", {"query": "port", "max_tokens": 0}, "budget.max_tokens"),
        ("kb.search", {"query": "port", "also": ["x" * 301]}, "also.phrasings"),
        ("kb.search", {"query": "port", "cursor": "x" * 1025}, "cursor.value"),
    ],
)
async def test_wrong_arguments_are_named_where_they_are_in_the_request(
    channel: grpc.aio.Channel, tool: str, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await send(channel, tool, request_for(tool, arguments))
    info, request, _ = details_of(caught.value)
    assert info.reason == "INVALID_ARGUMENT"
    assert [each.field for each in request.field_violations] == [field]


@pytest.mark.requirement("grpc-errors")
@pytest.mark.parametrize(
    ("raised", "code", "reason"),
    [
        (BackendUnavailable("away", retry_after=1), grpc.StatusCode.UNAVAILABLE, "BACKEND_UNAVAILABLE"),
        (TimedOut("late"), grpc.StatusCode.DEADLINE_EXCEEDED, "TIMEOUT"),
        (BudgetExceeded("too small"), grpc.StatusCode.RESOURCE_EXHAUSTED, "BUDGET_EXCEEDED"),
        (RuntimeError("/etc/passwd SELECT 1"), grpc.StatusCode.INTERNAL, "INTERNAL_ERROR"),
    ],
)
async def test_each_failure_has_its_status_and_reason(raised: Exception, code: grpc.StatusCode, reason: str) -> None:
    class Failing(DoubleServices):
        async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
            raise raised

    seen: list[SeenCall] = []
    async with (
        grpc_server(Failing(), observers=(seen.append,)) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        error = await failure(channel, SEARCH)
    info, _, retry = details_of(error)
    assert (error.code(), info.reason) == (code, reason)
    assert retry.retry_delay.seconds == (1 if reason == "BACKEND_UNAVAILABLE" else 0)
    assert "passwd" not in f"{error.details()}{error.trailing_metadata()}"
    assert [call.outcome for call in seen] == [reason]


@pytest.mark.requirement("grpc-errors")
async def test_a_project_of_another_server_is_a_refusal(channel: grpc.aio.Channel) -> None:
    error = await failure(channel, request_for("kb.search", {"query": "port", "scope": {"project_id": "other"}}))
    info, _, _ = details_of(error)
    assert (error.code(), info.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SCOPE_VIOLATION")
    assert info.metadata["project_id"] == "other"


@pytest.mark.requirement("grpc-malformed")
async def test_a_thousand_malformed_messages_are_never_a_failure_of_the_server(channel: grpc.aio.Channel) -> None:
    chance = Random(41)
    raws = [request_for("kb.search", {"query": "port", "also": ["door"], "scope": {"doc_tags": ["a"]}}), SEARCH]
    paths = [path for path, method in PATHS.values() if "EvidenceService" in path and not method.streams]
    requests = [
        (
            chance.choice([*paths, HEALTH, "/citemark.query.v1.EvidenceService/Nothing"]),
            mangled(chance, chance.choice(raws)),
        )
        for _ in range(1000)
    ]
    told = await outcomes(channel, requests)
    codes = {code for code, _ in told}
    assert grpc.StatusCode.INVALID_ARGUMENT in codes
    assert codes <= {
        grpc.StatusCode.OK,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
    }
    assert "Traceback" not in "".join(text for _, text in told)


@pytest.mark.requirement("grpc-malformed")
async def test_a_malformed_request_to_reflection_is_an_invalid_argument(channel: grpc.aio.Channel) -> None:
    call = channel.stream_stream(REFLECTION)(timeout=60)
    await call.write(b"\xff\xff")
    assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_request_that_is_too_long_is_not_read(channel: grpc.aio.Channel) -> None:
    error = await failure(channel, b"\x0a" + b"x" * MAX_REQUEST_BYTES)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.requirement("grpc-one-gate")
async def test_only_known_tokens_are_answered_within_their_scopes_and_refusals_are_audited() -> None:
    issuer, seen, refused = Issuer(), list[SeenCall](), list[RefusedRequest]()
    server = grpc_server(
        DoubleServices(), token="owner", reader=issuer.reader(), observers=(seen.append,), refused=refused.append
    )
    async with server as address, grpc.aio.insecure_channel(address) as channel:
        await send(channel, "kb.search", SEARCH, "owner")
        await send(channel, "kb.search", SEARCH, issuer.token("ann"))
        for token in (None, "wrong"):
            error = await failure(channel, b"\xff", token)
            assert error.code() is grpc.StatusCode.UNAUTHENTICATED
            assert "citemark token create" in str(error.details())
        error = await failure(channel, SEARCH, issuer.token("ann", "profile"))
        assert (error.code(), details_of(error)[0].reason) == (grpc.StatusCode.PERMISSION_DENIED, "INSUFFICIENT_SCOPE")
    assert [call.tool for call in seen] == ["kb.search"] * 2
    assert seen[0].principal == Principal.local().key
    assert "ann" in seen[1].principal
    assert [(each.status, each.address) for each in refused] == [
        (401, "127.0.0.1"),
        (401, "127.0.0.1"),
        (403, "127.0.0.1"),
    ]
    assert [each.principal is None for each in refused] == [True, True, False]


@pytest.mark.requirement("grpc-one-gate")
async def test_who_asks_too_often_and_strangers_who_fail_too_often_have_to_wait() -> None:
    issuer, pauses = Issuer(), list[float]()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    limits = CallLimits(LimitSettings(rate=10), seconds=lambda: 0.0)
    strangers = StrangerLimits(lambda token: token == "known", FailedRequests(lambda: 0.0), pause)
    server = grpc_server(DoubleServices(), token="owner", reader=issuer.reader(), limits=limits, strangers=strangers)
    async with server as address, grpc.aio.insecure_channel(address) as channel:
        await send(channel, "kb.search", SEARCH, issuer.token("ann"))
        error = await failure(channel, SEARCH, issuer.token("ann"))
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (details_of(error)[0].reason, details_of(error)[2].retry_delay.seconds) == ("TOO_MANY_REQUESTS", 6)
        codes = [(await failure(channel, SEARCH, "wrong")).code() for _ in range(70)]
        assert set(codes) == {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.RESOURCE_EXHAUSTED}
        assert codes[-1] is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert set(pauses) == {1.0}
        await send(channel, "kb.search", SEARCH, "owner")
        assert (await failure(channel, SEARCH, "known")).code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.requirement("grpc-health-and-reflection")
async def test_anybody_learns_the_health_and_only_known_callers_the_contract() -> None:
    state = Health("opening")
    async with (
        grpc_server(DoubleServices(), token="owner", health=lambda: state) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        watch = channel.unary_stream(
            "/grpc.health.v1.Health/Watch", HealthCheckRequest.SerializeToString, HealthCheckResponse.FromString
        )(HealthCheckRequest(service="citemark.query.v1.EvidenceService"), timeout=60)
        responses = aiter(watch)
        told = [await anext(responses)]
        while told[-1].status != HealthCheckResponse.NOT_SERVING:
            told.append(await anext(responses))
        state = Health("ready")
        assert (await anext(responses)).status == HealthCheckResponse.SERVING
        # It sends nothing: a client that still does when it is refused may take that for a failure of its own.
        assert await channel.stream_stream(REFLECTION)(timeout=60).code() is grpc.StatusCode.UNAUTHENTICATED
        listing = ServerReflectionRequest(list_services="")
        services = (await reflected(channel, listing, "owner")).list_services_response.service
    assert {service.name for service in services} >= {path.split("/")[1] for path, _ in PATHS.values()}


async def reflected(
    channel: grpc.aio.Channel, request: ServerReflectionRequest, token: str | None = None
) -> ServerReflectionResponse:
    """What reflection says."""
    call = channel.stream_stream(
        REFLECTION, ServerReflectionRequest.SerializeToString, ServerReflectionResponse.FromString
    )(iter([request]), metadata=() if token is None else with_token(token), timeout=60)
    async for response in call:
        return response
    raise AssertionError("no response")


@pytest.mark.requirement("grpc-health-and-reflection")
async def test_a_client_that_knows_nothing_but_reflection_can_ask(channel: grpc.aio.Channel) -> None:
    pool, waiting = DescriptorPool(), ["citemark.query.v1.EvidenceService"]
    response = await reflected(channel, ServerReflectionRequest(file_containing_symbol=waiting[0]))
    for raw in reversed(response.file_descriptor_response.file_descriptor_proto):
        pool.AddSerializedFile(raw)
    method: Any = pool.FindServiceByName(waiting[0]).methods_by_name["RetrieveEvidence"]
    request, kind = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    call = channel.unary_unary(f"/{waiting[0]}/RetrieveEvidence", response_deserializer=kind.FromString)
    answer: Any = await call(request(question="port").SerializeToString(), timeout=60)
    assert answer.quotes[0].quote == TEXTS[0]


@pytest.mark.requirement("grpc-answer-parts")
async def test_an_answer_comes_as_documents_then_words_then_check() -> None:
    class Waiting:
        """A configured model that writes once it is told to."""

        name = "provider"
        told = asyncio.Event()

        async def generate(self, asked: Any) -> Any:
            await self.told.wait()
            return Generated("The office opens at nine [1].", "model")

    model = Waiting()
    answers = answering(document(1, "The office opens at nine."), provider=model)  # pyright: ignore[reportArgumentType]
    async with (
        grpc_server(DoubleServices(), answers=answers) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        path, method = PATHS["kb.answer"]
        call = channel.unary_stream(path, response_deserializer=method.response.FromString)
        raw = request_for("kb.answer", {"question": "When does the office open?"})
        parts = aiter(call(raw, timeout=60))
        first: Any = await anext(parts)
        assert [source.excerpt for source in first.documents.sources] == ["The office opens at nine."]
        model.told.set()
        rest: list[AnswerResponse] = [part async for part in parts]  # pyright: ignore[reportAssignmentType]
    assert [part.WhichOneof("part") for part in rest] == ["text", "check"]
    assert (rest[0].text.generated_answer, rest[0].text.generated_by) == ("The office opens at nine [1].", "provider")
    assert [sentence.standing for sentence in rest[1].check.sentences] == ["supported"]
    assert rest[1].check.usage.bytes_returned == rest[1].check.ByteSize()


PAGES = {EVIDENCE: {"Search": replace(PATHS["kb.search"][1], all_pages=True)}}
"""A contract in which the search is a long list: the services in memory have pages of it."""


def pages_of(channel: grpc.aio.Channel, token: str | None = None, **arguments: Any) -> Any:
    """A call for all pages of one hit each."""
    path, method = PATHS["kb.search"]
    call: Any = channel.unary_stream(path, response_deserializer=method.response.FromString)
    raw = request_for("kb.search", {"query": "port", "page_size": 1, **arguments})
    return call(raw, metadata=() if token is None else with_token(token), timeout=60)


@pytest.mark.requirement("grpc-long-lists")
async def test_a_long_list_comes_page_by_page_to_its_end_or_from_a_cursor() -> None:
    seen = list[SeenCall]()
    async with (
        grpc_server(DoubleServices(), contract=PAGES, observers=(seen.append,)) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        pages = [page async for page in pages_of(channel)]
        rest = [page async for page in pages_of(channel, cursor=pages[0].next_cursor.value)]
    assert [len(page.results) for page in pages] == [1] * len(TEXTS)
    assert [page.results[0].preview for page in pages] == list(TEXTS)
    assert [page.HasField("next_cursor") for page in pages] == [True, True, False]
    assert [page.results[0].preview for page in rest] == list(TEXTS[1:])
    assert [call.tool for call in seen] == ["kb.search"] * 5, "each page counts as a call of the tool"


class Endless(DoubleServices):
    """A list without an end, of long texts."""

    def __init__(self) -> None:
        super().__init__(["A port is a port. " * 25] * 2)
        self.pages_made = 0

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        self.pages_made += 1
        return await super().find(caller, replace(request, cursor=None))


@pytest.mark.requirement("grpc-long-lists")
async def test_pages_are_made_no_faster_than_they_are_read_and_none_after_a_cancel() -> None:
    endless, windows = Endless(), (("grpc.http2.lookahead_bytes", 1024), ("grpc.http2.bdp_probe", 0))
    async with (
        grpc_server(endless, contract=PAGES) as address,
        grpc.aio.insecure_channel(address, options=windows) as channel,
        grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as other,
    ):
        call = pages_of(channel)
        assert (await call.read()).HasField("next_cursor")

        async def made_now() -> int:
            """The count once it has not moved for a hundred calls of another client."""
            before = -1
            while before != endless.pages_made:
                before = endless.pages_made
                assert before < 1000, "pages pile up that nobody reads"
                for _ in range(100):
                    await other.unary_unary(HEALTH)(b"", timeout=60)
            return before

        waiting = await made_now()
        call.cancel()
        assert await made_now() == waiting


@pytest.mark.requirement("grpc-long-lists", "grpc-one-gate")
async def test_each_page_of_a_list_passes_the_gate() -> None:
    issuer = Issuer()
    limits = CallLimits(LimitSettings(rate=10), seconds=lambda: 0.0)
    server = grpc_server(DoubleServices(), contract=PAGES, token="owner", reader=issuer.reader(), limits=limits)
    async with server as address, grpc.aio.insecure_channel(address) as channel:
        call = pages_of(channel, issuer.token("ann"))
        first = await call.read()
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call.read()
        assert details_of(caught.value)[0].reason == "TOO_MANY_REQUESTS"
        rest = [page async for page in pages_of(channel, "owner", cursor=first.next_cursor.value)]
    assert len(rest) == len(TEXTS) - 1


@pytest.mark.requirement("grpc-long-lists", "grpc-cancellation")
async def test_a_page_that_is_being_made_ends_with_its_stream() -> None:
    slow = Slow()
    async with grpc_server(slow, contract=PAGES) as address, grpc.aio.insecure_channel(address) as channel:
        call = pages_of(channel)
        await slow.began.wait()
        call.cancel()
        await slow.ended.wait()
    assert slow.how == "cancelled"


class Slow(DoubleServices):
    """A search that begins, and ends when it is told to; it notes how."""

    def __init__(self) -> None:
        super().__init__()
        self.began, self.go_on, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.limits = list[float]()
        self.how = ""

        def within(seconds: float) -> Any:
            self.limits.append(seconds)
            return nullcontext()

        self.statements_within = within

    async def find(self, caller: Caller, request: SearchRequest) -> SearchPage:
        self.began.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.how = "cancelled"
            raise
        finally:
            self.ended.set()
        return await super().find(caller, request)


@pytest.mark.requirement("grpc-cancellation")
async def test_a_client_that_vanishes_or_waits_no_longer_ends_its_call() -> None:
    for how in ("vanishes", "cancels", "deadline"):
        slow, seen = Slow(), list[SeenCall]()
        async with grpc_server(slow, observers=(seen.append,)) as address:
            channel = grpc.aio.insecure_channel(address)
            path, _ = PATHS["kb.search"]
            call = channel.unary_unary(path)(SEARCH, timeout=0.2 if how == "deadline" else 60)
            waiting = asyncio.ensure_future(call)
            await slow.began.wait()
            if how == "vanishes":
                await channel.close(None)
            elif how == "cancels":
                call.cancel()
            await slow.ended.wait()
            await asyncio.wait([waiting])
            await channel.close()
        assert slow.how == "cancelled", how
        assert [each.outcome for each in seen] == ["TIMEOUT"], how
        if how == "deadline":
            assert slow.limits == [1.0], "the database gives up as well, in whole seconds"


@pytest.mark.requirement("grpc-cancellation")
async def test_deadlines_of_a_millisecond_leave_the_server_as_it_was(channel: grpc.aio.Channel) -> None:
    async def hurried() -> grpc.StatusCode:
        try:
            await channel.unary_unary(PATHS["kb.search"][0])(SEARCH, timeout=0.001)
        except grpc.aio.AioRpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    codes = set(await asyncio.gather(*(hurried() for _ in range(100))))
    assert codes <= {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.OK}
    assert await send(channel, "kb.search", SEARCH)


@pytest.mark.requirement("grpc-many-clients")
async def test_sixty_four_clients_at_once_are_all_answered() -> None:
    async with grpc_server(DoubleServices(), limits=CallLimits()) as address:

        async def one() -> int:
            options = (("grpc.use_local_subchannel_pool", 1),)
            async with grpc.aio.insecure_channel(address, options=options) as channel:
                return len([await send(channel, "kb.search", SEARCH) for _ in range(3)])

        assert await asyncio.gather(*(one() for _ in range(64))) == [3] * 64


@pytest.mark.requirement("grpc-drain")
async def test_a_server_that_ends_finishes_what_runs_and_takes_nothing_new() -> None:
    slow, servers = Slow(), list[GrpcServer]()
    async with (
        grpc_server(slow, grace=30, started=servers.append) as address,
        grpc.aio.insecure_channel(address) as channel,
        grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as other,
    ):
        running = asyncio.create_task(send(channel, "kb.search", SEARCH))
        await slow.began.wait()
        servers[0].end()
        code = grpc.StatusCode.OK
        while code is grpc.StatusCode.OK:  # until the server has begun to end
            code = await other.unary_unary(HEALTH)(b"", timeout=60).code()
        # A call that comes just as the server begins to end is cancelled, a later one finds nobody.
        assert code in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
        slow.go_on.set()
        assert len(await running) == 1


@pytest.mark.requirement("grpc-drain")
async def test_a_server_told_twice_to_end_does_not_wait() -> None:
    slow, servers = Slow(), list[GrpcServer]()
    async with (
        grpc_server(slow, grace=600, started=servers.append) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        running = asyncio.create_task(send(channel, "kb.search", SEARCH))
        await slow.began.wait()
        servers[0].end()
        servers[0].end()
        with pytest.raises((grpc.aio.AioRpcError, asyncio.CancelledError)):
            await running
    assert slow.how == "cancelled"


@pytest.mark.requirement("grpc-tls")
async def test_with_a_certificate_only_clients_that_trust_it_are_answered(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path)
    made = Certificate(key.read_bytes(), certificate.read_bytes())
    async with grpc_server(DoubleServices(), certificate=made) as address:
        trusting = grpc.ssl_channel_credentials(certificate.read_bytes())
        async with grpc.aio.secure_channel(address, trusting) as channel:
            assert await send(channel, "kb.search", SEARCH)
        async with grpc.aio.insecure_channel(address) as channel:
            assert (await failure(channel, SEARCH)).code() is grpc.StatusCode.UNAVAILABLE


async def test_an_address_that_is_taken_is_told_in_a_sentence() -> None:
    servers = list[GrpcServer]()
    async with (
        grpc_server(DoubleServices()) as address,
        grpc_server(DoubleServices(), started=servers.append),
    ):
        with pytest.raises(ConfigurationError, match="--grpc-address"):
            servers[0].listen(address)
