"""A server's metrics in the Prometheus format. Every label has few values: names of tools, codes, statuses."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citemark.tools.seen_calls import SeenCall

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Histogram buckets, from the time of a cached passage to `tool_timeout`."""

_BYTES = (256, 1024, 2048, 4096, 8192, 16_384, 32_768, 49_152, 65_536)
"""Histogram buckets, up to the cap of a result (48 KiB of structured content) plus its text."""


class CallMetrics:
    """Counts the calls that one process answers."""

    def __init__(self, waiting: Callable[[], int] = lambda: 0) -> None:
        registry = self._registry = CollectorRegistry()
        self._calls = Counter("citemark_calls", "Calls by outcome.", ("tool", "outcome"), registry=registry)
        self._seconds = Histogram(
            "citemark_call_seconds", "Time until an answer was ready.", ("tool",), buckets=_SECONDS, registry=registry
        )
        self._bytes = Histogram(
            "citemark_answer_bytes", "Size of answers.", ("tool",), buckets=_BYTES, registry=registry
        )
        self._cursors = Counter("citemark_cursor_calls", "Calls that turn a page.", ("tool",), registry=registry)
        self._cut = Counter("citemark_cut_answers", "Answers that end early.", ("tool", "reason"), registry=registry)
        self._folded = Counter("citemark_folded_hits", "Places told with another hit.", registry=registry)
        self._withheld = Counter("citemark_withheld_hits", "Hits that no source confirmed.", registry=registry)
        self._answers = Counter("citemark_http_answers", "Answers by HTTP status.", ("status",), registry=registry)
        Gauge("citemark_waiting_calls", "Calls that wait for a place.", registry=registry).set_function(waiting)

    def seen(self, call: SeenCall) -> None:
        """Count a call."""
        self._calls.labels(call.tool, call.outcome).inc()
        self._seconds.labels(call.tool).observe(call.seconds)
        self._bytes.labels(call.tool).observe(call.size)
        if call.follows_cursor:
            self._cursors.labels(call.tool).inc()
        if call.limit_reason != "none":
            self._cut.labels(call.tool, call.limit_reason).inc()
        self._folded.inc(call.folded)
        self._withheld.inc(call.withheld)

    def answered(self, status: int) -> None:
        """Count an HTTP response, refusals included."""
        self._answers.labels(str(status)).inc()

    def text(self) -> bytes:
        """All metrics, in the format that a scraper reads."""
        return generate_latest(self._registry)


class CountedAnswers:
    """An ASGI application that counts the statuses of another application's responses."""

    def __init__(self, app: ASGIApp, metrics: CallMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._metrics.answered(message["status"])
            await send(message)

        await self._app(scope, receive, counted)
