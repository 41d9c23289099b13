"""Contextual texts with and without what they say of relationships."""


def without_relationships(text: str) -> str:
    """A contextual chunk without its sentences about other elements."""
    kept = [line for line in text.split("\n") if not line.startswith("It ")]
    return "\n".join(kept)
