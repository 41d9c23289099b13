"""When a server over stdio opens its index although no call needs it yet."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpeningTimes:
    """When the index of a server is opened although nobody called a tool.

    Opening loads most of this program. Meanwhile the answers to a host's first requests, which need nothing of it,
    would take twice as long, and some hosts give a server only seconds for them.

    Attributes:
        quiet: seconds after the latest answer; a host's first requests come one after another.
        latest: seconds after the start, for a host that asks nothing.
    """

    quiet: float = 0.5
    latest: float = 5.0
