"""`python -m tests.support.third_party` writes THIRD_PARTY.md: what an install brings along, under which licences."""

import re
from collections.abc import Iterator
from importlib.metadata import PackageMetadata, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "THIRD_PARTY.md"

_HEAD = """# Third-party licences

The packages that an install of Citemark brings along, as pinned in `requirements/run.txt`, and their licences as they
state them; `make licences` writes this list. Each package contains its own licence text. Citemark uses all of them as
separate packages, unmodified, which can be replaced by other versions.

Under the LGPL: {lesser}.

| package | version | licence |
| --- | --- | --- |
"""
_SHORT = 60
"""Characters: a field with more is the text of a licence."""


def pins() -> dict[str, str]:
    """The packages of an install and their versions."""
    text = (ROOT / "requirements" / "run.txt").read_text("utf-8")
    return dict(re.findall(r"^([\w.-]+)(?:\[[^]]*\])?==([^\s;\\]+)", text, re.MULTILINE))


def licence_of(package: PackageMetadata) -> str:
    """The licence of a package in the words of its metadata."""
    stated, named = ((package.get_all(name) or [""])[0] for name in ("License-Expression", "License"))
    entries = map(str, package.get_all("Classifier", []))
    classifiers = [entry.rpartition(" :: ")[2] for entry in entries if entry.startswith("License ::")]
    short = "" if "\n" in named or len(named) > _SHORT or named == "Dual License" else named
    return " ".join((stated or short or " or ".join(classifiers) or named[:_SHORT]).split())


def page() -> str:
    """The whole list."""
    rows = {name: (version, licence_of(metadata(name))) for name, version in pins().items()}
    lesser = ", ".join(
        name for name, (_, licence) in rows.items() if "LGPL" in licence and " or " not in licence.lower()
    )
    return _HEAD.format(lesser=lesser) + "".join(_lines(rows))


def _lines(rows: dict[str, tuple[str, str]]) -> Iterator[str]:
    for name, (version, licence) in rows.items():
        yield f"| {name} | {version} | {licence or 'see its licence file'} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
