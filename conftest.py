"""Notes which lines of citemark run in the tests, for the gate at the end of `make test`.

Each worker writes a file into the folder that CITEMARK_LINES_RUN names. This file is read before the one in `tests`,
which imports citemark: only what is imported afterwards is noted.
"""

import json
import os
from pathlib import Path
from typing import cast

import pytest
from slipcover import FileMatcher, ImportManager, Slipcover

_HITS = 20_000
"""How often a line may be noted before its notice is taken out of the code. Taking notices out looks through every
function that is loaded, 75 ms each time; noting a line again takes less than a ten-thousandth of a millisecond."""

_SOURCE = str(Path(__file__).resolve().parent / "src" / "citemark")


class LinesRun:
    """A plugin of one worker."""

    def __init__(self, report: Path) -> None:
        """Begin to note lines, to be written to a file."""
        self._report = report
        self._noted = Slipcover(d_miss_threshold=_HITS)
        ImportManager(self._noted, FileMatcher(sources=[_SOURCE])).__enter__()

    def pytest_sessionfinish(self) -> None:
        """Write the lines of each file that ran."""
        files = cast("dict[str, dict[str, list[int]]]", self._noted.get_coverage()["files"])
        self._report.write_text(json.dumps({name: found["executed_lines"] for name, found in files.items()}), "utf-8")


_WORKER = os.environ.get("PYTEST_XDIST_WORKER")
# Tests that run other tests must not have them write there too; the process that starts the workers passes it on.
_FOLDER = os.environ.pop("CITEMARK_LINES_RUN", None) if _WORKER else None
_LINES = LinesRun(Path(_FOLDER, f"{_WORKER}.json")) if _FOLDER else None


def pytest_configure(config: pytest.Config) -> None:
    """Have the plugin told of the end of the run."""
    if _LINES is not None:
        config.pluginmanager.register(_LINES)
