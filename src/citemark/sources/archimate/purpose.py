"""What a model says of itself as a whole."""

from collections.abc import Iterator

from citemark.sources.archimate.composing import Lines, documentation_lines, property_lines
from citemark.sources.archimate.documents import Document, document
from citemark.sources.archimate.parts import Model

MODEL = "model"
_NAMELESS = "unnamed model"


def purpose_of(model: Model) -> Iterator[Document]:
    """One document, of a model that says anything of itself besides its name."""
    said = model.said
    if said.documentation or said.properties:
        name = said.name or _NAMELESS
        lines = Lines()
        lines.add(f"{name} is an architecture model.")
        lines.add_all(property_lines(said.properties))
        lines.add_all(documentation_lines(said.documentation))
        yield document(
            doc_type=MODEL,
            native_id=model.model_id or MODEL,
            extracted=lines.extracted(name),
            metadata={"name": name},
        )
