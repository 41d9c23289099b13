"""What a model says of itself as a whole."""

from collections.abc import Iterator

from citemark.sources.archimate.composing import TextLines, documentation_lines, property_lines
from citemark.sources.archimate.documents import Document, document
from citemark.sources.archimate.parts import Model

MODEL = "model"
_NAMELESS = "unnamed model"


def model_document(model: Model) -> Iterator[Document]:
    """One document, of a model that says anything of itself besides its name."""
    description = model.description
    if description.documentation or description.properties:
        name = description.name or _NAMELESS
        lines = TextLines()
        lines.add(f"{name} is an architecture model.")
        lines.add_all(property_lines(description.properties))
        lines.add_all(documentation_lines(description.documentation))
        yield document(
            doc_type=MODEL,
            native_id=model.model_id or MODEL,
            extracted=lines.extracted(name),
            metadata={"name": name},
        )
