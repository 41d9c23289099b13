"""Spans around the stages of a search, as an SDK of OpenTelemetry records them."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.support.in_memory_services import InMemoryWorld

from citemark.retrieval.question import stage


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    return kept


@pytest.mark.requirement("each-stage-has-a-trace-span")
async def test_each_stage_has_a_span_that_says_nothing_of_the_question(exporter: InMemorySpanExporter) -> None:
    found = await InMemoryWorld({"page.md": "The relief valve opens at six bars."}).quote("relief valve")
    assert found.quotes
    spans = exporter.get_finished_spans()
    assert {span.name.removeprefix("citemark ") for span in spans} == {
        "evidence", "rank", "embed", "words", "vectors", "fuse", "verify",
    }  # fmt: skip
    assert "valve" not in "".join(span.to_json() for span in spans)
    (whole,) = (span for span in spans if span.name == "citemark evidence")
    assert {span.context.trace_id for span in spans if span.context} == {whole.context and whole.context.trace_id}


async def test_a_failure_ends_its_span_and_is_not_quoted(exporter: InMemorySpanExporter) -> None:
    @stage("fail")
    async def fail() -> None:
        raise ValueError("the text of a document")

    with pytest.raises(ValueError, match="document"):
        await fail()
    (span,) = exporter.get_finished_spans()
    assert "document" not in span.to_json()


async def test_without_an_sdk_a_stage_is_only_called() -> None:
    @stage("add")
    async def add(one: int, *, other: int) -> int:
        return one + other

    assert await add(1, other=2) == 3
