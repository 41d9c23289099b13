"""Texts to batches that a provider takes: bounded by their number and by their characters."""

from collections.abc import Iterator, Sequence

MOST_TEXTS = 32
"""What Text Embeddings Inference takes unless told otherwise; others take more."""

MOST_CHARACTERS = 64_000
"""About 16,000 tokens: no server's limit, and one answer is worth waiting for."""


def batches(texts: Sequence[str], places: Sequence[int], most_texts: int = MOST_TEXTS) -> Iterator[list[int]]:
    """Places of the texts in order, cut where a batch would pass a bound; a longer text stands alone."""
    batch: list[int] = []
    characters = 0
    for place in places:
        size = len(texts[place])
        if batch and (len(batch) >= most_texts or characters + size > MOST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(place)
        characters += size
    if batch:
        yield batch
