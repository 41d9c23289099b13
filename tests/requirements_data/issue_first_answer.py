"""Issue 22, parts 1 to 5: the first index, the first answer, and a server that nobody asks."""

from tests.requirements_data.form import Requirement, met, missed

CLAUSES: tuple[Requirement, ...] = (
    met(
        "first-answers-load-nothing",
        "issue-22 part 4",
        22,
        "A host is greeted and gets the tools before the index, the model or the command line are loaded.",
    ),
    met("index-opens-by-itself", "issue-22 part 4", 22, "A server opens its index although no tool is called."),
    missed(
        "embedder-1.6x",
        "issue-22 bars",
        22,
        "The embedder makes 1.6 times as many vectors a second on one core.",
        "Measured 1.20 times, by batches of 512 tokens; 1.27 without padding and mask, for which the graph has to change; "
        "a scale per batch instead of per token adds 1.09, and makes a vector depend on its neighbours.",
    ),
)
"""The entries of the manifest, one file per founding document."""
