"""Which folders programs filled."""

from pathlib import Path

import pytest
from tests.support.developer_folder import write

from citemark.sources.docs.generated_folders import generated_kind


def kind(root: Path, path: str, top: Path | None = None) -> str:
    (root / path).mkdir(parents=True, exist_ok=True)
    return generated_kind(str(root), path, lambda: None if top is None else str(top))


@pytest.mark.requirement("generated-folders-left-out")
@pytest.mark.parametrize("name", ["build", "dist", "target", "vendor", "out", "_build", "coverage"])
def test_an_ordinary_word_is_a_build_output_only_beside_a_build_file(tmp_path: Path, name: str) -> None:
    assert kind(tmp_path, f"plain/{name}") == ""
    for number, build_file in enumerate(
        (
            "package.json",
            "pyproject.toml",
            "setup.py",
            "Cargo.toml",
            "pom.xml",
            "build.gradle",
            "CMakeLists.txt",
            "go.mod",
        )
    ):
        write(tmp_path, f"project{number}/{build_file}", "")
        assert kind(tmp_path, f"project{number}/{name}"), build_file


@pytest.mark.requirement("generated-folders-left-out")
@pytest.mark.parametrize("name", ["build", "dist", "target", "vendor", "third_party"])
def test_in_a_work_tree_it_is_one_except_among_texts(tmp_path: Path, name: str) -> None:
    assert kind(tmp_path, f"service/{name}", tmp_path)
    assert kind(tmp_path, f"docs/{name}", tmp_path) == ""
    write(tmp_path, "docs/conf.py", "")
    assert kind(tmp_path, f"docs/{name}", tmp_path)


@pytest.mark.requirement("generated-folders-left-out")
@pytest.mark.parametrize(
    ("path", "marker", "expected"),
    [
        ("my env", "pyvenv.cfg", "virtual environment"),
        ("conda", "conda-meta/history", "virtual environment"),
        ("whatever", "CACHEDIR.TAG", "cache"),
        ("node_modules", "x/package.json", "vendored packages"),
        ("a.egg-info", "top_level.txt", "build output"),
        ("lib/site-packages", "x.py", "vendored packages"),
        ("__pycache__", "x.pyc", "cache"),
    ],
)
def test_others_are_known_anywhere_by_their_content_or_name(
    tmp_path: Path, path: str, marker: str, expected: str
) -> None:
    write(tmp_path, f"{path}/{marker}", "")
    assert kind(tmp_path, path) == expected


@pytest.mark.parametrize("name", ["bin", "obj", "site", "public", "deps", "book", "docs", "env", "venv", "packages"])
def test_folders_of_a_person_stay_in_a_work_tree(tmp_path: Path, name: str) -> None:
    assert kind(tmp_path, name, tmp_path) == ""


def test_a_name_of_one_program_counts_beside_its_own_file(tmp_path: Path) -> None:
    write(tmp_path, "app/app.csproj", "")
    write(tmp_path, "app/mkdocs.yml", "")
    assert [kind(tmp_path, f"app/{name}") for name in ("bin", "obj", "site", "deps")] == [*["build output"] * 3, ""]
