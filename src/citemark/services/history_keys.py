"""The keys of the services of history: naming states, what differs between two, and how long they are kept."""

from typing import TYPE_CHECKING

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # tools name these services before they are loaded
    from citemark.services.document_diff import DocumentDiffService
    from citemark.services.history_keeping import HistoryService
    from citemark.services.named_states import BaselineService
    from citemark.services.repository_baselines import RepositoryBaselineService

HISTORY: ServiceKey["HistoryService"] = ServiceKey("history")
BASELINES: ServiceKey["BaselineService"] = ServiceKey("baselines")
DOCUMENT_DIFF: ServiceKey["DocumentDiffService"] = ServiceKey("comparison of documents")
REPOSITORY_BASELINES: ServiceKey["RepositoryBaselineService"] = ServiceKey("baselines of repositories")
