"""`python -m citemark.app.calibrate FOLDER...`: fit the model's calibration on test collections."""

import argparse
import asyncio
from pathlib import Path

from citemark.app.open_index import open_app
from citemark.evaluation.fit import fit_folders
from citemark.settings import load_settings


def main() -> None:
    """Fit, print the fit with its error, and write it to a file if one is named."""
    parser = argparse.ArgumentParser(prog="citemark.app.calibrate", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="test collection in BEIR form")
    parser.add_argument("--write", type=Path, metavar="FILE", help="calibration.json to write")
    parser.add_argument(
        "--phrasings", type=Path, metavar="FOLDER", help="phrasings of the questions, a file a collection"
    )
    arguments = parser.parse_args()
    asyncio.run(fit_folders(open_app, load_settings(), arguments.folders, arguments.write, arguments.phrasings))


if __name__ == "__main__":
    main()
