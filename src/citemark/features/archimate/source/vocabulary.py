"""The vocabulary of ArchiMate 3: element types by layer, and relationship types with a verb for each direction."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from citemark.model.architecture import LAYERS

JUNCTION = "Junction"
CAPABILITY_TYPE = "Capability"
OTHER = "other"

_TYPES: Mapping[str, tuple[str, ...]] = {
    "strategy": ("Resource", "Capability", "ValueStream", "CourseOfAction"),
    "business": (
        "BusinessActor",
        "BusinessRole",
        "BusinessCollaboration",
        "BusinessInterface",
        "BusinessProcess",
        "BusinessFunction",
        "BusinessInteraction",
        "BusinessEvent",
        "BusinessService",
        "BusinessObject",
        "Contract",
        "Representation",
        "Product",
    ),
    "application": (
        "ApplicationComponent",
        "ApplicationCollaboration",
        "ApplicationInterface",
        "ApplicationFunction",
        "ApplicationInteraction",
        "ApplicationProcess",
        "ApplicationEvent",
        "ApplicationService",
        "DataObject",
    ),
    "technology": (
        "Node",
        "Device",
        "SystemSoftware",
        "TechnologyCollaboration",
        "TechnologyInterface",
        "Path",
        "CommunicationNetwork",
        "TechnologyFunction",
        "TechnologyProcess",
        "TechnologyInteraction",
        "TechnologyEvent",
        "TechnologyService",
        "Artifact",
    ),
    "physical": ("Equipment", "Facility", "DistributionNetwork", "Material"),
    "motivation": (
        "Stakeholder",
        "Driver",
        "Assessment",
        "Goal",
        "Outcome",
        "Principle",
        "Requirement",
        "Constraint",
        "Meaning",
        "Value",
    ),
    "implementation_migration": ("WorkPackage", "Deliverable", "ImplementationEvent", "Plateau", "Gap"),
    OTHER: ("Grouping", "Location", JUNCTION),
}

LAYER_OF: Mapping[str, str] = MappingProxyType({name: layer for layer in LAYERS for name in _TYPES[layer]})
"""The layer of every element type."""

_OLDER: Mapping[str, str] = {
    "BusinessActivity": "BusinessProcess",
    "InfrastructureFunction": "TechnologyFunction",
    "InfrastructureInterface": "TechnologyInterface",
    "InfrastructureService": "TechnologyService",
    "Network": "CommunicationNetwork",
    "CommunicationPath": "Path",
    "AndJunction": JUNCTION,
    "OrJunction": JUNCTION,
    "UsedBy": "Serving",
    "Realisation": "Realization",
    "Specialisation": "Specialization",
}
"""Names of ArchiMate 2 and other spellings."""


@dataclass(frozen=True, slots=True)
class Verb:
    """The verb phrase of a relationship, from its source (`forth`) and from its target (`back`)."""

    forth: str
    back: str


VERBS: Mapping[str, Verb] = MappingProxyType(
    {
        "Realization": Verb("realizes", "is realized by"),
        "Serving": Verb("serves", "is served by"),
        "Assignment": Verb("is assigned to", "has assigned to it"),
        "Composition": Verb("is composed of", "is part of"),
        "Aggregation": Verb("aggregates", "is aggregated by"),
        "Access": Verb("accesses", "is accessed by"),
        "Flow": Verb("flows to", "receives a flow from"),
        "Triggering": Verb("triggers", "is triggered by"),
        "Influence": Verb("influences", "is influenced by"),
        "Association": Verb("is associated with", "is associated with"),
        "Specialization": Verb("is a specialization of", "is specialized by"),
    }
)
"""Every relationship type, in the order in which texts list them."""

_ACCESS: Mapping[str, Verb] = {
    "read": Verb("accesses for reading", "is accessed for reading by"),
    "write": Verb("accesses for writing", "is accessed for writing by"),
    "readwrite": Verb("accesses for reading and writing", "is accessed for reading and writing by"),
}
_DIRECTED = Verb("is associated, one way, with", "is associated, one way, by")


def verb_of(type_: str, access: str = "", *, directed: bool = False) -> Verb:
    """Return the verb of a relationship, with the mode of an access or the direction of a directed association."""
    if type_ == "Association" and directed:
        return _DIRECTED
    return _ACCESS.get(access, VERBS[type_]) if type_ == "Access" else VERBS[type_]


def plain_type(written: str) -> str:
    """Turn a type as files write it (`archimate:UsedByRelationship`) into its name in ArchiMate 3."""
    name = written.rpartition(":")[2].removesuffix("Relationship")
    return _OLDER.get(name, name)


def words_of(type_or_layer: str) -> str:
    """Return the name of a layer as texts write it."""
    return " & ".join(word.capitalize() for word in type_or_layer.split("_"))
