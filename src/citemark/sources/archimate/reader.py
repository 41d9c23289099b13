"""Bytes to a model: the format is told by the namespace of its root."""

from citemark.extraction.office import name_of
from citemark.model.errors import SkippableSourceError
from citemark.sources.archimate import archi, exchange
from citemark.sources.archimate.checking import check_model
from citemark.sources.archimate.parts import Model, ParsedModel
from citemark.sources.archimate.xml_file import root_of


def read_model(data: bytes) -> Model:
    """The model in a file of either format; whatever is wrong inside it is among its problems.

    Raises:
        SkippableSourceError: the bytes are no such file, or one that is not safe to read.
    """
    return check_model(_parse(data))


def _parse(data: bytes) -> ParsedModel:
    root = root_of(data)
    namespace, _, _ = str(root.tag).removeprefix("{").rpartition("}")
    if name_of(root) == "model":
        if namespace in archi.NAMESPACES:
            return archi.read_archi(root)
        if namespace.startswith(exchange.NAMESPACE):
            return exchange.read_exchange(root)
        if namespace.startswith(exchange.OLDER):
            raise SkippableSourceError(
                "The file is of version 2 of the exchange format; open it in its tool and export version 3."
            )
    where = repr(namespace) if namespace else "no namespace"
    raise SkippableSourceError(
        f"The XML is no ArchiMate model: its root is {name_of(root)!r} of {where}. Give an Open Group exchange file "
        "(version 3) or an .archimate file of Archi."
    )
