"""Contextual texts with and without what they say of relationships."""

_RELATES = "It "
_BELONGS = "It belongs to "
_DESCRIBES = "Description:"


def without_relationships(text: str) -> str:
    """A contextual chunk without its sentences about other elements; capabilities, properties, documentation stay."""
    kept: list[str] = []
    described = False
    for line in text.split("\n"):
        described = described or line.startswith(_DESCRIBES)
        if described or not line.startswith(_RELATES) or line.startswith(_BELONGS):
            kept.append(line)
    return "\n".join(kept)
