"""When a quiet connection is probed and dropped, and how often its client may probe the server."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Keepalive:
    """All in milliseconds; they hold with and without running calls.

    Attributes:
        probe_after: a connection without traffic is probed after this time, so that one whose client vanished is found.
        answer_within: a connection whose client does not answer a probe within this time is closed.
        between_pings: a client that keeps probing more often is disconnected (`too_many_pings`).
        idle: a connection without calls is closed after this time; clients open another one by themselves.
    """

    probe_after: int = 60_000
    answer_within: int = 20_000
    between_pings: int = 10_000
    idle: int = 15 * 60_000

    @property
    def options(self) -> tuple[tuple[str, int], ...]:
        """The same as options of a server."""
        return (
            ("grpc.keepalive_time_ms", self.probe_after),
            # The first is what gRPC documents; the second, a minute by default, is what its transport goes by.
            ("grpc.keepalive_timeout_ms", self.answer_within),
            ("grpc.http2.ping_timeout_ms", self.answer_within),
            # Without it nobody is probed between calls, and clients that probe then may do so every two hours.
            ("grpc.keepalive_permit_without_calls", 1),
            ("grpc.http2.min_ping_interval_without_data_ms", self.between_pings),
            ("grpc.max_connection_idle_ms", self.idle),
        )
