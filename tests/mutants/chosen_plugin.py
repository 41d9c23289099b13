"""For pytest: runs the tests that a file lists, in its order, each within its time, and names the one that fails."""

import json
import os
from pathlib import Path

import pytest


class _Chosen:
    def __init__(self, folder: Path) -> None:
        self._seconds: dict[str, float] = json.loads((folder / "chosen.json").read_text())
        self._killer = folder / "killer"

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        order = {ident: place for place, ident in enumerate(self._seconds)}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])
        for item in items:
            item.add_marker(pytest.mark.timeout(self._seconds[item.nodeid]), append=False)

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._killer.write_text(report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Chosen(Path(os.environ["CITEMARK_MUTANT_FOLDER"])))
