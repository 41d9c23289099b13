"""`python -m tests.bench.calibration [--write FILE]`: fit the bundled model's scores on all that they are fitted on.

That is the three test collections with their phrasings, the questions on an architecture model, and the fitted half of
the personal account.
"""

import argparse
import asyncio
import shutil
import sys
from pathlib import Path

from tests.bench.locations import COLLECTIONS, GOLDEN, ROOT, SHARED, cache
from tests.bench.personal import fitted_half

from citemark.app.open_index import open_app
from citemark.evaluation.fit import BestHits, JudgedQuestion, as_json, best_hits, best_hits_of, describe, fit
from citemark.evaluation.golden import load_golden
from citemark.evaluation.phrasings import load_phrasings
from citemark.model.sources import NewSource
from citemark.settings import load_settings

_MODEL = "archisurance-dev"


def main() -> None:
    """Fit, print the fit with its error, and write it to a file if one is named."""
    given = argparse.ArgumentParser(prog="tests.bench.calibration", description=__doc__)
    given.add_argument("--write", type=Path, metavar="FILE", help="calibration.json to write")
    asked = given.parse_args()
    collections = asyncio.run(_measured())
    calibration = fit(collections)
    sys.stdout.write(f"{as_json(calibration)}\n\n{describe(calibration, collections)}\n")
    if asked.write is not None:
        asked.write.write_text(as_json(calibration) + "\n", "utf-8")


async def _measured() -> list[BestHits]:
    settings = load_settings(data_dir=cache() / "index-ir")
    found = [await fitted_half(), await _architecture()]
    for name in COLLECTIONS:
        phrasings = load_phrasings(ROOT / "tests" / "data" / "phrasings" / f"{name}.yaml")
        found.append(await best_hits(open_app, settings, SHARED / "ir" / name, phrasings))
    return found


async def _architecture() -> BestHits:
    """The questions on an architecture model; an answer is any of the elements that are expected."""
    data = cache() / "index-archisurance"
    shutil.rmtree(data, ignore_errors=True)
    phrasings = load_phrasings(GOLDEN / f"{_MODEL}-phrasings.yaml")
    questions = [
        JudgedQuestion(each.question, {entry.path: 1 for entry in each.expected}, phrasings.get(each.question_id, ()))
        for each in load_golden(GOLDEN / f"{_MODEL}.yaml")
        if each.answerable
    ]
    async with open_app(load_settings(data_dir=data)) as app:
        config = {"path": str(SHARED / "archimate" / "Archisurance.archimate")}
        source = await app.stores.sources.add(NewSource("model", "archimate", config))
        await app.sync({source.source_id: source})
        return await best_hits_of(app, _MODEL, questions)


if __name__ == "__main__":
    main()
