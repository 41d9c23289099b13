"""How close the vectors of a set are to each other by chance: quantiles of the cosines of random pairs."""

from citemark.model.ids import EmbeddingSetId
from citemark.store.database import Database

SHARES = (0.1, 0.5, 0.9, 0.99)
"""The quantiles that are kept, as shares of all pairs."""

_SAMPLE = 300
_LEAST_PAIRS = 1000
_GROWTH = 2.0


class RandomPairs:
    """Measures a set on its own vectors, and again once the set has doubled or halved."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def refresh(self, set_id: EmbeddingSetId) -> bool:
        """Measure unless the last measure still stands; True when a new one was kept.

        The sample is drawn by a hash of the chunks' numbers, so the same set gives the same numbers. Fewer than a
        thousand pairs say nothing: then the set keeps what it has.
        """
        queries = self._database.queries
        sizes = await self._database.read_sql(queries.for_set("random_pairs_size", set_id))
        if not sizes:
            return False
        measured, vectors = int(sizes[0]["random_pairs_of"]), int(sizes[0]["vectors"])
        if measured / _GROWTH < vectors < measured * _GROWTH or vectors * (vectors - 1) < 2 * _LEAST_PAIRS:
            return False
        rows = await self._database.read_sql(
            queries.for_set("random_pairs_measure", set_id), {"sample": _SAMPLE, "shares": list(SHARES)}
        )
        if not rows or rows[0]["pairs"] < _LEAST_PAIRS:
            return False
        await self._database.fetch(
            "random_pairs_keep", {"set": set_id, "quantiles": rows[0]["quantiles"], "vectors": vectors}
        )
        return True
