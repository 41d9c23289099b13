"""Spans of calls over gRPC, as an SDK of OpenTelemetry records them."""

import grpc
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.support.grpc_calls import asked
from tests.support.grpc_servers import grpc_server
from tests.support.in_memory_services import InMemoryWorld
from tests.unit.answering.papers import document
from tests.unit.services.test_answers import answering
from tests.unit.tools.double import DoubleServices

from citemark.services.bundle import EVIDENCE


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return kept


@pytest.mark.requirement("grpc-spans")
async def test_the_stages_of_a_call_are_spans_below_that_of_the_call(exporter: InMemorySpanExporter) -> None:
    world = InMemoryWorld({"page.md": "The relief valve opens at six bars."})
    services = DoubleServices(others={EVIDENCE: world.evidence})
    async with grpc_server(services) as address, grpc.aio.insecure_channel(address) as channel:
        await asked(channel, "kb.retrieve_evidence", {"question": "relief valve"})
    spans = exporter.get_finished_spans()
    assert {"citemark evidence", "citemark rank", "citemark words"} <= {span.name for span in spans}
    (call,) = (span for span in spans if span.parent is None)
    assert call.name == "citemark kb.retrieve_evidence"
    assert {span.context.trace_id for span in spans if span.context} == {call.context and call.context.trace_id}
    assert "valve" not in "".join(span.to_json() for span in spans)


@pytest.mark.requirement("grpc-spans")
async def test_an_answer_that_is_streamed_has_a_span_as_well(exporter: InMemorySpanExporter) -> None:
    answers = answering(document(1, "The office opens at nine."))
    async with (
        grpc_server(DoubleServices(), answers=answers) as address,
        grpc.aio.insecure_channel(address) as channel,
    ):
        await asked(channel, "kb.answer", {"question": "When does the office open?"})
    assert "citemark kb.answer" in {span.name for span in exporter.get_finished_spans()}
