"""A developer's folder: a Python package with its environment, packages, build outputs, documents and secrets."""

from collections.abc import Mapping
from pathlib import Path

KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----\n"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl\n-----END CERTIFICATE-----\n"

THEIRS: Mapping[str, str] = {
    "README.md": "# Widgets\n\nA package that makes widgets.\n",
    "CHANGELOG.md": "# Changes\n\nThe first version makes round widgets.\n",
    "docs/guide.md": "# Guide\n\nWidgets are made of tin.\n",
    "docs/build/linux.md": "# Building on Linux\n\nThe widget compiler needs a kernel of this century.\n",
    "docs/target/audience.md": "# Audience\n\nThe guide is for makers of widgets.\n",
    "docs/prices.csv": "widget,price\nround,4\n",
    "notes/plan.md": "# Plan\n\nSquare widgets come in spring.\n",
    "notes/distribution/dist.md": "# Distribution\n\nWidgets are sent by post.\n",
    "src/widgets/DESIGN.md": "# Design\n\nA widget has two sides.\n",
}
"""What a person would call their documents."""

OTHERS: Mapping[str, str] = {
    ".gitignore": "*.log.md\nprivate/\n/notes/router.md\n!keep.log.md\n",
    "pyproject.toml": "[project]\nname = 'widgets'\n",
    "package.json": "{}",
    "package-lock.json": "{}",
    "Cargo.toml": "[package]\n",
    "src/widgets/__init__.py": "ROUND = 1\n",
    "src/widgets.egg-info/top_level.txt": "widgets\n",
    "src/widgets/__pycache__/notes.txt": "cached\n",
    "notes/router.md": "# Router\n\nThe router password is hunter2.\n",
    "private/diary.md": "# Diary\n\nNobody reads this.\n",
    "today.log.md": "# Log\n\nNothing happened.\n",
    "venv/pyvenv.cfg": "home = /usr/bin\n",
    "venv/LICENSE.md": "# Licence of the environment\n",
    "build/index.html": "<html><body><p>Built</p></body></html>",
    "dist/readme.txt": "packed\n",
    "target/doc/help.html": "<html><body><p>Generated</p></body></html>",
    "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
    "vendor/lib/README.md": "# Vendored\n",
    ".tox/py/readme.md": "# tox\n",
    ".github/ISSUE.md": "# Issue\n",
    ".git/description.txt": "a repository\n",
    ".env": "PASSWORD=hunter2\n",
    "deploy.pem": KEY,
    "id_rsa": KEY,
}


def developer_folder(root: Path, packages: int = 60) -> Path:
    """Write the folder; `packages` is the number of packages in each of the folders of vendored packages."""
    for path, text in {**THEIRS, **OTHERS}.items():
        write(root, path, text)
    for number in range(packages):
        write(root, f"node_modules/module{number}/README.md", f"# Module {number}\n\nA vendored module.\n")
        write(root, f"venv/lib/python3/site-packages/package{number}/README.md", f"# Package {number}\n")
    return root


def write(root: Path, path: str, text: str) -> None:
    """Write a file and the folders it is in."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def files_in(root: Path) -> int:
    """The number of files in a folder and below."""
    return sum(1 for path in root.rglob("*") if path.is_file())
