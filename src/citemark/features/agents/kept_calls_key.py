"""The key of the service that keeps what agents asked."""

from typing import TYPE_CHECKING

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:
    from citemark.features.agents.kept_calls import KeptCalls

KEPT_CALLS: ServiceKey["KeptCalls"] = ServiceKey("what agents asked")
