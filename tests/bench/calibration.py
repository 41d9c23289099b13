"""`python -m tests.bench.calibration [--write FILE]`: fit the bundled model's scores on all that they are fitted on.

That is the three test collections with their phrasings and the fitted half of the personal account. The questions on an
architecture model are not among them: most are answered by a passage that names the element asked for, not by its own.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from tests.bench.locations import COLLECTIONS, ROOT, SHARED, cache
from tests.bench.personal import fitted_half

from citemark.app.open_index import open_app
from citemark.evaluation.fit import BestHits, as_json, best_hits, describe, fit
from citemark.evaluation.phrasings import load_phrasings
from citemark.settings import load_settings


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
    found = [await fitted_half()]
    for name in COLLECTIONS:
        phrasings = load_phrasings(ROOT / "tests" / "data" / "phrasings" / f"{name}.yaml")
        found.append(await best_hits(open_app, settings, SHARED / "ir" / name, phrasings))
    return found


if __name__ == "__main__":
    main()
