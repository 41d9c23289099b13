"""For pytest: writes down how long each test that passed took."""

import json
import os
from pathlib import Path

import pytest


class _Times:
    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    @pytest.hookimpl
    def pytest_sessionfinish(self) -> None:
        if "PYTEST_XDIST_WORKER" not in os.environ:
            passed = {ident: took for ident, took in self._seconds.items() if ident not in self._failed}
            Path(os.environ["CITEMARK_MUTANT_TIMES"]).write_text(json.dumps(passed))


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Times())
