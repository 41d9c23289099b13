"""The keys of the services of the graph."""

from typing import TYPE_CHECKING

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # tools name these services before they are loaded
    from citemark.features.graph.services.exploration import GraphService
    from citemark.features.graph.services.impact import ImpactService
    from citemark.features.graph.services.open_graph import GraphReaders
    from citemark.features.graph.services.section_texts import SectionTextService

READERS: ServiceKey["GraphReaders"] = ServiceKey("readers of the graph")
EXPLORATION: ServiceKey["GraphService"] = ServiceKey("the graph")
IMPACT: ServiceKey["ImpactService"] = ServiceKey("impact")
SECTION_TEXTS: ServiceKey["SectionTextService"] = ServiceKey("texts of sections")
