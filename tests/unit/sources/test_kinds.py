"""What is asked about a source without knowing its kind."""

import re
from pathlib import Path

import pytest
from tests.support.kinds import KINDS

from citemark.model.errors import ConfigurationError, InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.sources import Source
from citemark.sources.kinds import SourceKind

SRC = Path(__file__).resolve().parents[3] / "src" / "citemark"
OWN = ("features/archimate/", "features/maildir/", "features/nextcloud/", "sources/docs/")
"""Where a kind may be compared with: in its own code, which reads the configuration of its sources."""

_NAMED = r"(?:DOCS|ARCHIMATE|NEXTCLOUD|MAILDIR|[\"'](?:docs|archimate|nextcloud|maildir)[\"'])"
_COMPARED = re.compile(
    rf"\bkind\s*(?:==|!=|in|not in|<>)\s*[{{(]?\s*{_NAMED}|\bkind = '(?:docs|archimate|nextcloud|maildir)'"
    rf"|case {_NAMED}|{_NAMED}\s*[!=]=\s*[\w.]*\bkind\b"
)


def source(kind: str, **config: object) -> Source:
    return Source(SourceId(1), "local", "s", kind, config)


def kind_of(each: Source) -> SourceKind:
    return KINDS.of(each)


@pytest.mark.requirement("source-kinds-are-values")
def test_no_code_outside_a_kind_asks_whether_a_source_is_of_it() -> None:
    lines = [
        f"{path.relative_to(SRC)}:{number}"
        for path in SRC.rglob("*")
        if path.suffix in {".py", ".sql", ".html"} and not path.relative_to(SRC).as_posix().startswith(OWN)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _COMPARED.search(line)
    ]
    assert lines == []


def test_a_folder_and_a_model_name_the_file_of_a_page_and_an_account_has_none() -> None:
    docs = source("docs", root="/notes")
    model = source("archimate", path="/models/shop.xml")
    account = source("nextcloud", server="https://cloud.example")
    assert kind_of(docs).file_of(docs.config, "a/b.md") == Path("/notes/a/b.md")
    assert kind_of(docs).folder_of(docs) == Path("/notes")
    assert kind_of(model).file_of(model.config, "id-1") == Path("/models/shop.xml")
    assert kind_of(model).folder_of(model) is None
    assert kind_of(account).file_of(account.config, "note:1") is None


def test_the_files_of_a_commit_are_those_of_the_folder_or_of_the_model_alone() -> None:
    docs, model = source("docs", root="/notes"), source("archimate", path="/models/shop.xml")
    folder, file = kind_of(docs).repository, kind_of(model).repository
    assert folder is not None
    assert file is not None
    assert folder.folder(docs.config) == Path("/notes")
    assert folder.takes(docs.config)("guide.md")
    assert file.folder(model.config) == Path("/models")
    assert file.takes(model.config)("shop.xml")
    assert not file.takes(model.config)("other.xml")
    assert file.moved(model.config, Path("/tmp/commit")) == {"path": "/tmp/commit/shop.xml"}
    assert kind_of(source("nextcloud")).repository is None


def test_options_are_merged_into_the_configuration_of_a_folder() -> None:
    docs = source("docs", root="/notes", also=["*.toml"], exclude=["drafts/"])
    options = kind_of(docs).options
    assert options(docs, {"also": ["*.py"]})["also"] == ["*.toml", "*.py"]
    assert "also" not in options(docs, {"also": []})
    assert "exclude" not in options(docs, {"exclude": []})


def test_options_of_an_account_are_rules_for_its_files() -> None:
    account = source("nextcloud", server="https://cloud.example", login="ada", user="ada")
    changed = kind_of(account).options(account, {"include": ["*.md"]})
    assert changed["files"] == {"include": ["*.md"]}
    assert kind_of(account).options(account, {"ocr": True})["files"] == {"ocr": True}
    with pytest.raises(InvalidArgument, match="is an account, which has no --also"):
        kind_of(account).options(account, {"also": ["*.md"]})


def test_a_model_has_no_options() -> None:
    model = source("archimate", path="/models/shop.xml")
    with pytest.raises(InvalidArgument, match="is of kind archimate, which has no --include"):
        kind_of(model).options(model, {"include": ["*.md"]})


def test_a_kind_that_this_version_does_not_know_cannot_be_connected() -> None:
    unknown = source("imap")
    with pytest.raises(ConfigurationError, match="unknown to this version"):
        kind_of(unknown).connect(unknown, None)  # pyright: ignore[reportArgumentType] - nothing is made
    assert kind_of(unknown).folder_of(unknown) is None


def test_the_owner_of_a_folder_from_before_the_rules_about_ignored_files_is_told_of_them() -> None:
    assert "--ignore` adopts both" in kind_of(source("docs", root="/x")).note(source("docs", root="/x"))
    assert kind_of(source("docs")).note(source("docs", root="/x", ignore=False)) == ""
    assert kind_of(source("archimate")).note(source("archimate")) == ""
