"""Vectors of the bundled model shifted by a constant: another space with the same neighbours, as other models have."""

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from citemark.embedding.minilm import MiniLM


def shifted(model: MiniLM, floor: float) -> Callable[[Sequence[str]], list[list[float]]]:
    """Vectors of one dimension more, whose cosines are floor + (1 - floor) * cos."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        vectors = model.embed_documents(list(texts))
        constant = np.full((len(vectors), 1), sqrt(floor), np.float32)
        return np.hstack([constant, sqrt(1 - floor) * vectors]).tolist()

    return embed


_WORDS = """
boiler kettle anvil violin harbour glacier cathedral bakery telescope vineyard submarine orchard lighthouse tunnel
puppet carousel beehive sawmill quarry volcano library stadium canal tannery windmill foundry aquarium brewery
monastery pottery tramway hospital observatory shipyard greenhouse circus embassy prison laundry mint museum forge
nursery theatre embankment dairy cemetery kiln aviary marina chapel archive paddock gallery refinery dam barracks
reservoir zoo distillery
"""
THINGS = tuple(_WORDS.split())


def page(thing: str) -> str:
    return f"# The {thing}\n\nThis page tells who built the {thing}, what it is for and when it was last repaired.\n"
