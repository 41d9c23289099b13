"""Whether a result says first that nothing answers: on questions that nobody had looked at results for.

40 questions that the documents of a company answer and 40 that they do not, and the same for an architecture model.
"""

from collections.abc import Sequence

from tests.bench.absence import asked, indexed
from tests.bench.locations import GOLDEN, ROOT, SHARED, cache

from citemark.app.compose import App
from citemark.app.open_index import open_app
from citemark.evaluation.golden import GoldenQuestion, load_golden
from citemark.evaluation.phrasings import load_phrasings, phrased
from citemark.features.archimate.services.keys import ELEMENT_SEARCH
from citemark.features.archimate.services.requests import ElementSearch, QueryScope
from citemark.model.sources import NewSource
from citemark.retrieval.absence import SURE
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
from citemark.settings import load_settings

UNANSWERED = ROOT / "tests" / "data" / "unanswered"
_CORPUS = SHARED / "public" / "enterprise-rag-bench-v0" / "corpus"
_MODEL = SHARED / "archimate" / "Archisurance.archimate"
_TOLD = frozenset({"absent", "unsure"})


async def measure() -> dict[str, object]:
    """Both sets, alone and with phrasings."""
    questions = phrased(load_golden(UNANSWERED / "questions.yaml"), load_phrasings(UNANSWERED / "phrasings.yaml"))
    async with indexed("enterprise", _CORPUS) as app:
        documents = {
            way: _figures(
                [(each, await _told_by_documents(app, each, phrasings=way == "phrased")) for each in questions]
            )
            for way in ("alone", "phrased")
        }
    return {"documents": documents, "models": await _models()}


async def _models() -> dict[str, object]:
    answerable = phrased(
        load_golden(GOLDEN / "archisurance-dev.yaml"), load_phrasings(GOLDEN / "archisurance-dev-phrasings.yaml")
    )
    others = phrased(load_golden(UNANSWERED / "models.yaml"), load_phrasings(UNANSWERED / "models-phrasings.yaml"))
    settings = load_settings().model_copy(update={"data_dir": cache() / "index-unanswered-model"})
    async with open_app(settings) as app:
        sources = await app.sources.all()
        if not sources:
            sources = [await app.sources.add(NewSource("archisurance", "archimate", {"path": str(_MODEL)}))]
        await app.sync({source.source_id: source for source in sources}, lambda _: None)
        return {
            way: _figures(
                [
                    (each, await _told_by_models(app, each, phrasings=way == "phrased"))
                    for each in (*answerable, *others)
                ]
            )
            for way in ("alone", "phrased")
        }


async def _told_by_documents(app: App, question: GoldenQuestion, *, phrasings: bool) -> tuple[ResponseMeta, bool]:
    evidence = await asked(app, question.question, question.also if phrasings else ())
    return evidence.meta, bool(evidence.quotes)


async def _told_by_models(app: App, question: GoldenQuestion, *, phrasings: bool) -> tuple[ResponseMeta, bool]:
    request = ElementSearch(QueryScope(), question.question, also=question.also if phrasings else ())
    page = await app.services.get(ELEMENT_SEARCH).page(Caller.local(), request)
    return page.meta, bool(page.hits)


def _told_so(meta: ResponseMeta, *, shown: bool) -> str:
    """What stands first about an answer: that there is none, or none for sure; "" if neither.

    A word of the question that no document mentions is told as well, but says nothing of the answer: "word".
    """
    if not shown or meta.told:
        return "absent"
    if meta.doubt and meta.confidence is not None and meta.confidence < SURE:
        return "unsure"
    return "word" if meta.doubt else ""


def _figures(rows: Sequence[tuple[GoldenQuestion, tuple[ResponseMeta, bool]]]) -> dict[str, object]:
    told = {each.question_id: _told_so(meta, shown=shown) for each, (meta, shown) in rows}
    answerable = [each.question_id for each, _ in rows if each.answerable]
    others = [each.question_id for each, _ in rows if not each.answerable]
    return {
        "answerable": len(answerable),
        "answerable_told": {ident: told[ident] for ident in answerable if told[ident] in _TOLD},
        "answerable_word": sum(told[ident] == "word" for ident in answerable),
        "unanswerable": len(others),
        "unanswerable_told": sum(told[ident] in _TOLD for ident in others),
        "unanswerable_word": sum(told[ident] == "word" for ident in others),
        "not_told": [ident for ident in others if not told[ident]],
        "confidences": {each.question_id: round(meta.confidence or 0.0, 2) for each, (meta, _) in rows},
    }
