"""The keys of the services of architecture models."""

from typing import TYPE_CHECKING

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # tools name these services before they are loaded
    from citemark.features.archimate.services.context import ModelContextService
    from citemark.features.archimate.services.model_diff import ModelDiffService
    from citemark.features.archimate.services.model_queries import ModelListingService
    from citemark.features.archimate.services.search import ElementSearchService
    from citemark.features.archimate.services.visible_models import ModelReader

READER: ServiceKey["ModelReader"] = ServiceKey("readers of models")
ELEMENT_SEARCH: ServiceKey["ElementSearchService"] = ServiceKey("search in models")
MODEL_CONTEXT: ServiceKey["ModelContextService"] = ServiceKey("context from models")
MODEL_LISTING: ServiceKey["ModelListingService"] = ServiceKey("lists of what models state")
MODEL_DIFF: ServiceKey["ModelDiffService"] = ServiceKey("comparison of models")
