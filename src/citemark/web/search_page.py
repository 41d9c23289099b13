"""The page that searches: a question with its limits, hits with their evidence, and why each was found."""

from typing import Any
from urllib.parse import urlencode

from citemark.evidence.scoring import question_tokens, tokens_among
from citemark.model.citation import iso
from citemark.retrieval.absence import SURE
from citemark.services.catalog import LocalFiles
from citemark.services.empty import Arguments
from citemark.services.requests import SearchRequest
from citemark.services.responses import ResponseMeta, SearchHit, SearchPage
from citemark.text.citation_line import line_of
from citemark.text.escaping import visible
from citemark.web.asked import Asked
from citemark.web.page_addresses import address_of_citation, parts_of
from citemark.web.rendering import Page
from citemark.web.search_limits import LIMITS, counted, limits_asked

FIELDS = ("q", "also", *LIMITS, "path", "after", "before", "as_of")
"""What the address of a search holds, so that it can be reloaded, kept and shared."""

_ARGUMENTS = Arguments(also="Other words", threshold="")
_MOST = 20
"""Hits of a search with all its pages; whoever reads more than two screens asks anew."""

_PAGE = 10
_MOST_PER_DOCUMENT = 3


_TELLING = 4
"""Letters: most shorter words of European languages are articles and prepositions, which every passage has."""


async def search(asked: Asked) -> Page:
    """Hits for a question, and what the search can be limited to."""
    services = await asked.index.services()
    question, limits = asked.question(), limits_asked(asked)
    sources = await services.catalog.list_sources(asked.caller)
    data: dict[str, Any] = {
        **asked.fields(*FIELDS),
        "sources": [{"name": each.source.name, "documents": each.state.documents} for each in sources.sources],
        "limits": [],
        "hits": [],
        "found": None,
        "next": "",
    }
    if asked.part != "results":  # while one types, the limits stay as they are
        counts = await services.catalog.counts(asked.caller, limits.scope, limits.filters, limits.read_context)
        data["limits"] = counted(counts, asked)
    if not question:
        return Page("search", data)
    request = SearchRequest(
        query=question,
        also=asked.phrasings(),
        top_k=_MOST,
        page_size=_PAGE,
        max_per_doc=_MOST_PER_DOCUMENT,
        cursor=asked.text("cursor") or None,
        scope=limits.scope,
        filters=limits.filters,
        read_context=limits.read_context,
        arguments=_ARGUMENTS,
    )
    page = await services.search.find(asked.caller, request)
    files = await services.catalog.local_files(asked.caller)
    hits = [{**hit_data(hit, files), "keep": _keep(question, hit) if asked.is_owner else ""} for hit in page.hits]
    return Page("search", {**data, "hits": hits, "found": found_data(page.meta), "next": _next(asked, page)})


def _next(asked: Asked, page: SearchPage) -> str:
    """The address of the next hits; "" if there are none."""
    if page.meta.next_cursor is None:
        return ""
    given = {name: value for name, value in asked.fields(*FIELDS).items() if value}
    return "/search?" + urlencode({**given, "cursor": page.meta.next_cursor})


def _keep(question: str, hit: SearchHit) -> str:
    """The address that keeps a hit as the answer to the question."""
    return f"/evaluate?{urlencode({'q': question})}&{parts_of(hit.citation)}"


def hit_data(hit: SearchHit, files: LocalFiles) -> dict[str, Any]:
    """A hit as the page shows it."""
    preview = visible(hit.preview)
    file = files.of(hit.citation)
    return {
        "rank": hit.rank,
        "title": hit.title,
        "trail": hit.title.split(" > "),
        "source": hit.citation.source,
        "preview": preview,
        "evidence": highlights(hit.found_by, preview),
        "score": round(hit.score, 4),
        "dated": hit.citation.day,
        "modified": hit.last_modified,
        "citation": hit.citation.as_dict(),
        "cited": line_of(hit.citation),
        "open": address_of_citation(hit.citation),
        "file": None if file is None else str(file.path),
        "url": hit.citation.url,
        "also_in": list(hit.also_in),
        "why": _why(hit),
    }


def highlights(question: str, text: str) -> list[tuple[int, int]]:
    """The words of a text that the question has, as spans in order and apart; short ones only if it has no others."""
    wanted = question_tokens(question)
    telling = frozenset(
        token for token in wanted if not (token.isascii() and token.isalpha() and len(token) < _TELLING)
    )
    spans: list[tuple[int, int]] = []
    for token in tokens_among(text, telling or wanted):
        if spans and token.start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], token.end))
        else:
            spans.append((token.start, token.end))
    return spans


def _why(hit: SearchHit) -> list[tuple[str, str]]:
    """How a hit got its rank, as names and values for a person."""
    why = hit.why
    facts = (
        ("Rank by words", "not found by words" if why.bm25_rank is None else str(why.bm25_rank)),
        ("Rank by meaning", "not found by meaning" if why.vector_rank is None else str(why.vector_rank)),
        ("Score", f"{hit.score:.2f}"),
        ("Relevance", f"{why.relevance:.2f}"),
        ("Nearness in meaning (cosine)", "" if why.cosine is None else f"{why.cosine:.2f}"),
        ("Weight of shared words (BM25)", f"{why.bm25:.1f} of at most {why.bm25_upper_bound:.1f}"),
        ("Fused rank (RRF)", f"{why.rrf:.4f}"),
        ("Phrasing", hit.found_by),
        ("Linked", "" if why.link is None else str(why.link)),
    )
    return [(name, value) for name, value in facts if value]


def found_data(meta: ResponseMeta) -> dict[str, Any]:
    """What a result says about itself: how sure it is, what it lacks, and why it is empty."""
    return {
        "as_of": iso(meta.read_context.as_of),
        "baseline_id": meta.read_context.baseline_id,
        "sure": _sure(meta),
        "told": list(meta.first_lines),
        "confidence": None if meta.confidence is None else round(meta.confidence, 4),
        "withheld": meta.withheld_unverified,
        "incomplete": meta.reading.line,
        "notes": list(meta.notes),
        "empty_reason": None if meta.empty is None else meta.empty.reason,
        "empty": "" if meta.empty is None else meta.empty.text,
    }


def _sure(meta: ResponseMeta) -> str:
    """How sure a result is, in words; "" if that is not known, or if the first lines say it."""
    if meta.confidence is None or meta.empty is not None or meta.first_lines:
        return ""
    return "These passages very likely answer it." if meta.confidence >= SURE else "These passages may answer it."
