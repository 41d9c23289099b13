"""In which order the passages for evidence are read and quoted: each side of a question and each document in turn."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from citemark.evidence.filling import RELEVANT, PassageText, shares_of
from citemark.evidence.metadata import names_a_key, property_keys
from citemark.model.accounts import DATED
from citemark.model.architecture import ELEMENT, VIEW
from citemark.model.candidates import PageNames, StoredChunk
from citemark.model.sources import AllowedSources
from citemark.retrieval.question import RankedCandidate, VerifiedHit
from citemark.retrieval.sides import page_parts, passage_parts, sides_of
from citemark.text.versions import VersionOrder, unversioned

_HEAD = 2_000
"""Characters from the start of a page in which front matter and the tables that stand for it are."""

_OF_PROPERTIES = DATED | {ELEMENT, VIEW}
"""Documents that consist of properties."""


def broad_first(
    candidates: Sequence[RankedCandidate],
    phrasings: Sequence[str],
    names: Mapping[int, PageNames],
    allowed: AllowedSources,
) -> list[RankedCandidate]:
    """The candidates in an order in which the first few hold the best of each side and each relevant document.

    What is quoted is decided when they have been read; this order only makes it unnecessary to read all of them.
    """
    if not candidates:
        return []
    known = [each for each in candidates if each.page_id in names]
    sources = {int(source.source_id): source.name for source in allowed.sources}
    parts = [page_parts(names[each.page_id], sources.get(each.source_id, "")) for each in known]
    sides = dict(zip((each.chunk_id for each in known), sides_of(phrasings, parts), strict=True))
    shares = _shares(candidates)
    relevant = [each for each, share in zip(candidates, shares, strict=True) if share >= RELEVANT]
    firsts = [
        candidates[0],
        *_first_of_each(candidates, lambda each: sides.get(each.chunk_id) or None),
        *_first_of_each(relevant, lambda each: (_family(each, names), sides.get(each.chunk_id))),
    ]
    first = dict.fromkeys(each.chunk_id for each in firsts)
    rest = [each for each in candidates if each.chunk_id not in first]
    by_id = {each.chunk_id: each for each in firsts}
    return [*by_id.values(), *rest]


def still_relevant(waiting: Sequence[RankedCandidate], read: Sequence[VerifiedHit]) -> list[RankedCandidate]:
    """The candidates that are relevant enough beside the passages that were read."""
    shares = _shares([*(hit.candidate for hit in read), *waiting])[len(read) :]
    return [each for each, share in zip(waiting, shares, strict=True) if share >= RELEVANT]


def quotable(hits: Sequence[VerifiedHit], phrasings: Sequence[str], *, in_time: bool) -> list[PassageText]:
    """The passages of hits, with what decides which of them are quoted.

    What a question about time has put in order is as relevant as it says.
    """
    sides = sides_of(phrasings, [passage_parts(hit.chunk, hit.source.name) for hit in hits])
    return [
        PassageText(
            hit.chunk.text,
            hit.chunk.table_header,
            () if in_time else _relevances(hit, phrasings, first=number == 0),
            (document_of(hit.chunk), side),
            side,
        )
        for number, (hit, side) in enumerate(zip(hits, sides, strict=True))
    ]


def _relevances(hit: VerifiedHit, phrasings: Sequence[str], *, first: bool) -> tuple[float, ...]:
    """How relevant a hit is; the properties at the head of a page are not, unless they answer or one is asked for."""
    found = hit.candidate.why.relevances or (hit.candidate.why.relevance,)
    if first or hit.chunk.span.start > _HEAD or hit.chunk.doc_type in _OF_PROPERTIES:
        return found
    keys = property_keys(hit.chunk.text)
    return found if not keys or names_a_key(phrasings, keys) else (0.0,) * len(found)


def named_versions_first(hits: Sequence[VerifiedHit], phrasings: Sequence[str]) -> list[VerifiedHit]:
    """The hits, with those of a version that the question names before others that are no more than as relevant."""
    order = VersionOrder(phrasings)
    shares = _shares([hit.candidate for hit in hits])
    named = [order.standing(hit.chunk.native_id, "")[0] for hit in hits]
    first = [hit for hit, share, is_named in zip(hits, shares, named, strict=True) if is_named and share >= RELEVANT]
    taken = {int(hit.chunk.chunk_id) for hit in first}
    return [*first, *(hit for hit in hits if hit.chunk.chunk_id not in taken)]


def document_of(chunk: StoredChunk) -> Hashable:
    """What passages of one page have in common; the versions of a page are one document."""
    page = str(chunk.native_id).partition("#")[0]
    return int(chunk.source_id), unversioned(page), chunk.doc_type


def _family(candidate: RankedCandidate, names: Mapping[int, PageNames]) -> Hashable:
    path = names[candidate.page_id].path if candidate.page_id in names else str(candidate.page_id)
    return candidate.source_id, unversioned(path)


def _shares(candidates: Sequence[RankedCandidate]) -> list[float]:
    return shares_of([each.why.relevances or (each.why.relevance,) for each in candidates])


def _first_of_each(
    candidates: Iterable[RankedCandidate], key: Callable[[RankedCandidate], Hashable]
) -> list[RankedCandidate]:
    found: dict[Hashable, RankedCandidate] = {}
    for each in candidates:
        if (name := key(each)) is not None:
            found.setdefault(name, each)
    return list(found.values())
