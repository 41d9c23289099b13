"""What has to hold for the files of a release: each check returns what is wrong, in sentences."""

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.dist import bill, bundle
from tests.dist.packages import MODEL_LIMIT, PACKAGES, ROOT

_SAME_ON_PURPOSE = frozenset({"citemark/tools/icon.svg", "citemark/web/static/icon.svg"})
"""The tools and the pages know nothing of each other, and show the same icon; a test holds the two to each other."""


def expected(version: str) -> list[str]:
    """The names of all files of a release."""
    packages = [name for package in PACKAGES for name in package.files(version)]
    return sorted([*packages, *bundle.NAMES, bill.NAME])


def differences(first: Path, second: Path, version: str) -> list[str]:
    """Files that are missing, that are too many, or that the second build made with other bytes."""
    names = expected(version)
    problems = [
        f"{folder.name} build: {name} {'is missing' if name in names else 'does not belong to a release'}"
        for folder in (first, second)
        for name in sorted({path.name for path in folder.iterdir()} ^ set(names))
    ]
    both = [name for name in names if (first / name).is_file() and (second / name).is_file()]
    return problems + [
        f"{name}: two builds made different bytes"
        for name in both
        if (first / name).read_bytes() != (second / name).read_bytes()
    ]


def contents(folder: Path) -> list[str]:
    """Wheels over their limit, and files that name a path of the machine that made them."""
    problems = [
        f"{path.name}: {path.stat().st_size} bytes, over {MODEL_LIMIT}"
        for name in ("citemark_minilm", "citemark_multilingual")
        for path in sorted(folder.glob(f"{name}-*.whl"))
        if path.stat().st_size > MODEL_LIMIT
    ]
    problems += [problem for path in sorted(folder.glob("*.whl")) for problem in duplicates(path)]
    listed = (folder / bill.NAME).read_text("utf-8")
    return problems + [f"{bill.NAME}: names {path}" for path in (str(ROOT), "file://") if path in listed]


def duplicates(wheel: Path) -> list[str]:
    """Files of a wheel that hold the same bytes; check-wheel-contents has no way to except two of them (W002)."""
    same: dict[tuple[int, int], set[str]] = {}
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if entry.file_size:
                same.setdefault((entry.CRC, entry.file_size), set()).add(entry.filename)
    return [
        f"{wheel.name}: the same bytes in {', '.join(sorted(names))}"
        for names in same.values()
        if len(names) > 1 and not names <= _SAME_ON_PURPOSE
    ]


def tools(folder: Path) -> Iterator[list[str]]:
    """The commands of other makers that check the files, the registry's entry, the workflow and the containers."""
    wheels = [str(path) for path in sorted(folder.glob("*.whl"))]
    archives = [str(path) for path in sorted(folder.glob("*.tar.gz"))]
    yield ["twine", "check", "--strict", *wheels, *archives]
    yield ["check-wheel-contents", "--ignore", "W002", *wheels]  # `duplicates` stands for W002
    yield ["check-jsonschema", "--schemafile", "packages/server.schema.json", "server.json"]
    yield ["zizmor", "--offline", "--quiet", "--no-progress", ".github/workflows/release.yml"]
    yield ["hadolint", "deploy/Dockerfile"]
    yield ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", "deploy/compose.yaml"]
    yield ["kubernetes-validate", "--strict", *map(str, sorted(Path("deploy/kubernetes").glob("*.yaml")))]


def complaints(folder: Path) -> list[str]:
    """The checks of other makers that fail, with what they say."""
    problems: list[str] = []
    for name, *arguments in tools(folder):
        done = subprocess.run(
            [str(bill.TOOLS / name), *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode:
            problems.append(f"{name} failed:\n{done.stdout}{done.stderr}".rstrip())
    return problems
