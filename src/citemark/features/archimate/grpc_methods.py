"""The methods that ask about architecture models."""

from types import MappingProxyType

from citemark.grpc_api.methods import PACKAGE, Contract, Method
from citemark.query.v1 import semantic_query_pb2 as semantic
from citemark.query.v1 import structured_query_pb2 as structured

_LONG_LISTS = frozenset({"ListElements", "ListRelationships"})

ARCHITECTURE_METHODS: Contract = MappingProxyType(
    {
        f"{PACKAGE}.SemanticQueryService": {
            "Search": Method(
                "architecture.semanticSearch",
                semantic.SemanticQueryServiceSearchRequest,
                semantic.SemanticQueryServiceSearchResponse,
            ),
            "GetContext": Method("architecture.getContext", semantic.GetContextRequest, semantic.GetContextResponse),
        },
        f"{PACKAGE}.StructuredQueryService": {
            name: Method(
                f"architecture.{name[0].lower()}{name[1:]}",
                getattr(structured, f"{name}Request"),
                getattr(structured, f"{name}Response"),
                all_pages=name in _LONG_LISTS,
            )
            for name in (
                "ListElements",
                "GetElement",
                "ListRelationships",
                "SearchElements",
                "GetView",
                "ListBaselines",
                "DiffBaselines",
            )
        },
    }
)
