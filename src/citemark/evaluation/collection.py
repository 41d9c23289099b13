"""Indexes a test collection in a database of its own and asks its questions."""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from time import perf_counter

from citemark.evaluation.beir import KIND, Collection, beir_connector, load_collection
from citemark.evaluation.metrics import hit, ndcg, recall, reciprocal_rank
from citemark.evaluation.outcome import NO_HIT, Found, RankedRow, ranked_summary
from citemark.evaluation.ranking import DEPTH, documents, rank_all
from citemark.evaluation.report import BeirReport
from citemark.indexing.sync import Progress
from citemark.model.errors import SourceError
from citemark.model.scope import Principal
from citemark.model.sources import NewSource, Source
from citemark.services.app_context import AppContext, OpenIndex
from citemark.settings import Settings


def database_of(folder: Path) -> str:
    """The database that holds the collection of an absolute folder, kept between runs."""
    return f"citemark_eval_{blake2b(str(folder).encode(), digest_size=6).hexdigest()}"


async def run_beir(
    open_index: OpenIndex,
    settings: Settings,
    folder: Path,
    *,
    fresh: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> BeirReport:
    """Bring the collection's index up to date and ask every judged question, 100 documents deep.

    Args:
        open_index: opens an index, by settings and database.
        settings: where the product's own index lives; the collection's lies on the same server.
        folder: corpus, questions and grades in BEIR form.
        fresh: index everything anew.
        progress: told how far indexing is.

    Raises:
        InvalidArgument: the folder is not of the form.
        SourceError: the corpus cannot be read.
    """
    collection = load_collection(folder)
    async with open_index(settings, database_of(collection.folder)) as app:
        count = await index_collection(app, collection, fresh=fresh, progress=progress)
        rows = [await _ask(app, collection, query_id) for query_id in collection.queries]
    threshold = settings.min_score
    return BeirReport(collection.folder.name, count, ranked_summary(rows, threshold), tuple(rows), threshold)


async def index_collection(
    app: AppContext,
    collection: Collection,
    *,
    fresh: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> int:
    """Index the corpus through the product's own pipeline; how many documents it lists."""
    source = await _source(app, collection, fresh=fresh)
    connectors = {source.source_id: beir_connector(source.config)}
    report = await app.sync({source.source_id: source}, progress or (lambda _: None), connectors)
    scan = report.scans[source.name]
    if not scan.complete and not scan.elsewhere:
        raise SourceError(f"The corpus of {collection.folder} could not be listed: {scan.reason}")
    return scan.listed


async def _source(app: AppContext, collection: Collection, *, fresh: bool) -> Source:
    stores, root = app.stores, str(collection.folder)
    for source in await stores.sources.all(Principal.local().tenant):
        if not fresh and source.kind == KIND and source.config.get("root") == root:
            return source
        await stores.sources.remove(source.source_id, [entry.set_id for entry in await stores.vectors.sets()])
    config = {"root": root}
    return await stores.sources.add(NewSource(collection.folder.name, KIND, config, keep_history=False))


async def _ask(app: AppContext, collection: Collection, query_id: str) -> RankedRow:
    began = perf_counter()
    places = await rank_all(app, collection.queries[query_id])
    took = (perf_counter() - began) * 1000
    grades = collection.qrels[query_id]
    ranking = documents(places)
    return RankedRow(
        question_id=query_id,
        question=collection.queries[query_id],
        ndcg_at_10=ndcg(ranking, grades, 10),
        recall_at_100=recall(ranking, grades, DEPTH),
        reciprocal_rank=reciprocal_rank(ranking, grades),
        hit_at_5=hit(ranking, grades, 5),
        top_score=places[0].score if places else NO_HIT,
        milliseconds=took,
        shown=tuple(Found(place.pages[0], place.section, place.score) for place in places[:10]),
        relevant=tuple(document for document, grade in grades.items() if grade > 0),
    )
