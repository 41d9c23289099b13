"""What a newcomer types and reads in the first minute."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from citemark.cli.counting import counted
from citemark.cli.guessed_kind import guessed_kind
from citemark.cli.problem_lines import problem_lines
from citemark.cli.wrapping import wrapped
from citemark.model.errors import InvalidArgument
from citemark.model.status import ReportedProblem


@pytest.mark.requirement("add-guesses-the-kind")
def test_the_kind_of_a_source_is_told_from_what_was_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    (tmp_path / "cloud.example.org").mkdir()
    (tmp_path / "coarchi").mkdir()
    (tmp_path / "coarchi" / "folder.xml").write_text("<folder/>")
    (tmp_path / "archi.archimate").write_text("")
    (tmp_path / "exchange.xml").write_text('<model xmlns="http://www.opengroup.org/xsd/archimate/3.0/"/>')
    kinds = {word: guessed_kind(word) for word in ("notes", str(tmp_path / "vault"), "./cloud.example.org")}
    assert set(kinds.values()) == {"docs"}
    assert {guessed_kind(word) for word in ("archi.archimate", "exchange.xml", "coarchi")} == {"archimate"}
    addresses = ("https://cloud.example.net", "HTTP://localhost:8080", "cloud.example.net", "my.cloud.example:8443/nc")
    assert {guessed_kind(word) for word in addresses} == {"nextcloud"}
    assert guessed_kind("nextclud") is None


@pytest.mark.requirement("add-guesses-the-kind")
def test_what_is_no_source_is_told_with_what_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.pdf").write_bytes(b"%PDF")
    with pytest.raises(InvalidArgument, match=r"citemark add \."):
        guessed_kind("report.pdf")
    for word in ("./missing", "~/nowhere/at/all", "old/notes"):
        with pytest.raises(InvalidArgument, match="nothing at"):
            guessed_kind(word)


@pytest.mark.requirement("words-for-people")
def test_one_is_singular() -> None:
    assert [counted(number, "document") for number in (0, 1, 2, 1204)] == [
        "0 documents", "1 document", "2 documents", "1,204 documents",
    ]  # fmt: skip
    assert counted(2, "query", "queries") == "2 queries"


@pytest.mark.requirement("words-for-people")
def test_lines_are_broken_between_words_only() -> None:
    text = "  docs: the file /a/very/long/path/that-has-hyphens/and/more.pdf is locked with a password\nshort"
    lines = wrapped(text, 40).split("\n")
    assert lines[0].startswith("  docs:")
    assert lines[-1] == "short"
    assert all(len(line) <= 40 or " " not in line.strip() for line in lines)
    assert " ".join(wrapped(text, 40).split()) == " ".join(text.split())
    assert wrapped(text, 20) == text


@pytest.mark.requirement("warnings-grouped")
def test_problems_are_grouped_by_what_they_say() -> None:
    def problem(name: str, message: str) -> ReportedProblem:
        return ReportedProblem(name, "reading", message, datetime(2026, 3, 1, tzinfo=UTC))

    found = [problem("a.doc", "it is locked"), *(problem(f"{n}.pdf", "it has no text") for n in range(5))]
    assert problem_lines("docs", found) == [
        "docs: 6 problems; `citemark problems docs` lists them",
        "  5 (0.pdf, 1.pdf, 2.pdf and 2 more): it has no text",
        "  a.doc: it is locked",
    ]
    assert problem_lines("docs", found[:1], more=True)[0].startswith("docs: more than 1 problem")
    assert problem_lines("docs", found[:1])[0] == "docs: 1 problem; `citemark problems docs` lists it"
    assert problem_lines("docs", []) == []
