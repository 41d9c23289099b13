"""The metrics of a server, and the dashboard over them."""

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from citemark.tools.call_metrics import CallMetrics
from citemark.tools.seen_calls import SeenCall

DASHBOARD = Path(__file__).resolve().parents[3] / "deploy" / "grafana.json"
OF_THE_SCRAPER = {"instance", "le"}
METRIC = re.compile(r"(citemark_\w+)(\{[^}]*\})?")


def exported() -> dict[str, set[str]]:
    """The labels of each series that a server has told once calls of every kind were made."""
    metrics = CallMetrics()
    metrics.seen(SeenCall("owner", "kb.search", "ok", 10, 0.1, follows_cursor=True, limit_reason="bytes"))
    metrics.answered(200)
    found: dict[str, set[str]] = defaultdict(set)
    for family in text_string_to_metric_families(metrics.text().decode()):
        for sample in family.samples:
            found[sample.name] |= set(sample.labels)
    return dict(found)


@pytest.mark.requirement("dashboard-shows-what-exists")
def test_the_dashboard_asks_for_metrics_and_labels_that_exist_and_shows_every_metric() -> None:
    series = exported()
    shown: set[str] = set()
    for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]:
        for target in panel["targets"]:
            expression = target["expr"]
            names = METRIC.findall(expression)
            assert names, expression
            grouped = {each.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for each in group.split(",")}
            told = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            for name, chosen in names:
                assert name in series, expression
                used = grouped | told | set(re.findall(r"(\w+)\s*[=!]", chosen))
                assert used <= series[name] | OF_THE_SCRAPER, expression
                shown.add(name)
    families = {name for name in series if not name.endswith(("_created", "_sum", "_count"))}
    assert shown == families
