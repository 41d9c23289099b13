"""The sample: fifty met clauses of the manifest, drawn by a seed, with those that no line of the product breaks.

A clause stays drawn once it has a patch, so that a better name for a clause does not change the sample.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType

from tests.requirements_data.form import Requirement, Status

SEED = "issue 13"

SHARES: Mapping[str, int] = MappingProxyType(
    {"KB": 5, "ADR-008": 3, "ADR-009": 3, "535": 3, "DECISIONS": 14, "issues": 22}
)
"""How many clauses each stratum gives: in proportion to its size, three at least."""


def stratum(clause: Requirement) -> str:
    """The stratum of a clause: its founding document, the rulings with the tables of tools, or the issues."""
    if clause.family == "TOOLS":
        return "DECISIONS"
    return clause.family if clause.family in SHARES else "issues"


def rank(ident: str) -> str:
    """Where an id stands in the order of the draw; it does not depend on the other ids."""
    return sha256(f"{SEED}:{ident}".encode()).hexdigest()


def drawn(
    manifest: Iterable[Requirement], passed_over: Iterable[str], patched: Iterable[str] = ()
) -> Sequence[Requirement]:
    """Draw the sample from the met clauses.

    Args:
        manifest: All clauses.
        passed_over: The ids for which the next clause of the stratum is drawn.
        patched: The ids of clauses that were drawn before and have a patch; they come before all others.

    Returns:
        The clauses, stratum by stratum, in the order of the draw.
    """
    skipped, kept = frozenset(passed_over), frozenset(patched)
    order = sorted(
        (each for each in manifest if each.status is Status.MET and each.id not in skipped),
        key=lambda each: (each.id not in kept, rank(each.id)),
    )
    return [each for name, share in SHARES.items() for each in [one for one in order if stratum(one) == name][:share]]
