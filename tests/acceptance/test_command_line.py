"""The command line as a person uses it: one index, from an empty folder to a removed source."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import index
from tests.support.chat import chat_server, said
from tests.support.postgres import reachable_folder

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def folder() -> Generator[Path, None, None]:
    place = reachable_folder()
    (place / "docs").mkdir()
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture(scope="module")
def citemark(commands: Commands, folder: Path) -> Run:
    home = folder / "home"
    home.mkdir()
    environment = {**index(folder / "data").environment, "HOME": str(home)}

    def run(*arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        return commands.run(*arguments, env={**environment, **extra}, cwd=folder)

    return run


def parsed(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def indexed(folder: Path, citemark: Run) -> dict[str, Any]:
    """A folder with everything that may lie in one."""
    docs = folder / "docs"
    (docs / "guide.md").write_text(
        "# Guide\n\n## Ports\n\nThe server listens on port 4711.\n\n## Keys\n\nRotate yearly.\n"
    )
    (docs / "zürich.txt").write_text("In Zürich the office opens at seven.\n")
    (docs / "binary.md").write_bytes(bytes(range(256)) * 64)
    with (docs / "huge.md").open("wb") as huge:
        huge.truncate(300 * 2**20)
    (docs / "loop").symlink_to(docs)
    outside = folder / "secret.md"
    outside.write_text("The launch code is 0000.\n")
    (docs / "escape.md").symlink_to(outside)
    os.mkfifo(docs / "pipe.md")
    done = citemark("add", "docs", str(docs), "--tag", "handbook", "--json")
    assert done.returncode == 0, done.stderr
    return parsed(done)


@pytest.mark.requirement("search-command-answers-like-tools", "anchors-are-slug-lines-characters")
@pytest.mark.usefixtures("indexed")
def test_evidence_quotes_the_file_with_its_lines(citemark: Run) -> None:
    found = parsed(citemark("evidence", "Which port does the server listen on?", "--json"))
    quote = found["quotes"][0]
    assert "4711" in quote["quote"]
    assert quote["citation"]["document_id"] == "guide.md#guide/ports"
    assert quote["citation"]["anchor"]["lines"]["end"] == 5


@pytest.mark.requirement("first-ten-commands")
@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize("command", ["search", "evidence", "ask"])
def test_a_question_needs_no_quotation_marks(command: str, citemark: Run) -> None:
    typed = citemark(command, *["Which", "port", "does", "the", "server", "listen", "on"], "--json")
    assert typed.returncode == 0, typed.stderr
    assert "4711" in typed.stdout


@pytest.mark.requirement("search-command-answers-like-tools", "every-command-has-json")
@pytest.mark.usefixtures("indexed")
def test_a_terminal_without_utf_8_gets_what_it_can_show_and_programs_get_everything(citemark: Run) -> None:
    question = "When does the office in Z\u00fcrich open?"
    shown = citemark("evidence", question, PYTHONIOENCODING="ascii")
    assert (shown.returncode, "In Z?rich the office opens at seven." in shown.stdout) == (0, True), shown.stderr
    quotes = parsed(citemark("evidence", question, "--json", PYTHONIOENCODING="ascii"))["quotes"]
    assert "In Z\u00fcrich the office opens at seven." in quotes[0]["quote"]


@pytest.mark.requirement("ask-command-has-footnotes")
@pytest.mark.usefixtures("indexed")
def test_a_question_is_answered_with_footnotes_by_quotes_or_by_the_model_of_the_settings(citemark: Run) -> None:
    question = "Which port does the server listen on?"
    quoted = citemark("ask", question)
    assert quoted.returncode == 0, quoted.stderr
    assert "The server listens on port 4711. [1]" in quoted.stdout
    assert re.search(r"^\[1\] .*\n    docs: guide\.md#guide/ports, lines? \d", quoted.stdout, re.MULTILINE)
    assert "no model wrote this" in quoted.stdout
    with chat_server() as chat:
        chat.reply = said("The server listens on port 4711 [1]. It was built in 1789 [5].")
        settings = {"CITEMARK_ANSWER_URL": chat.url, "CITEMARK_ANSWER_MODEL": "chat-1"}
        answered = parsed(citemark("ask", question, "--json", "--max-answer-tokens", "200", **settings))
        shown = citemark("ask", question, **settings)
    assert (answered["generated_by"], answered["model_used"]) == ("provider", "chat-1")
    assert answered["generated_answer"].startswith("The server listens on port 4711 [1].")
    assert ([cited["number"] for cited in answered["citations"]], answered["removed_citations"]) == ([1], 1)
    assert answered["unsupported_claims"] == ["1789"]
    assert chat.asked[0]["max_tokens"] == 200
    assert "Written by chat-1." in shown.stdout
    assert "In no document: 1789" in shown.stdout
    assert citemark("ask", "Who conducts the opera in Vienna tonight?").returncode == 3
    wrong = citemark("ask", question, CITEMARK_ANSWER_URL="http://127.0.0.1:1")
    assert (wrong.returncode, "answer_model is missing" in wrong.stderr) == (2, True)


@pytest.mark.requirement("model-phrases-once-a-question", "tools-and-commands-take-phrasings")
@pytest.mark.usefixtures("indexed")
def test_a_question_is_asked_in_other_words_that_are_typed_or_written_by_the_model_of_the_settings(
    citemark: Run,
) -> None:
    question = "Where do clients have to knock?"
    typed = parsed(citemark("search", question, "--also", "port that the server listens on", "--why", "--json"))
    assert typed["results"][0]["why"]["phrasing"] == "port that the server listens on"
    assert "4711" in typed["results"][0]["preview"]
    many = citemark("evidence", question, *(word for number in range(5) for word in ("--also", str(number))))
    assert (many.returncode, "at most 4" in many.stderr) == (2, True)
    alone = citemark("search", question, "--rephrase")
    assert (alone.returncode, "answer_url" in alone.stderr) == (2, True)
    with chat_server() as chat:
        chat.reply = said("port that the server listens on")
        settings = {"CITEMARK_ANSWER_URL": chat.url, "CITEMARK_ANSWER_MODEL": "chat-1"}
        for command in ("search", "evidence"):
            found = citemark(command, question, "--rephrase", **settings)
            assert "4711" in found.stdout, command
            assert "written by the configured model: port that the server listens on" in found.stdout
        chat.reply = said("It listens on port 4711 [1].")
        answered = citemark("ask", question, "--rephrase", **settings)
    assert "the configured model" in answered.stdout


@pytest.mark.requirement(
    "unreadable-file-stops-nothing", "huge-file-reported-and-skipped", "binary-named-md-is-skipped", "symlink-loops-end"
)
def test_an_unreadable_document_is_reported_and_stops_nothing(indexed: dict[str, Any]) -> None:
    problems = {problem["native_id"]: problem["message"] for problem in indexed["problems"]}
    assert set(problems) == {"binary.md", "huge.md", "escape.md", "pipe.md", "loop"}
    assert "binary" in problems["binary.md"]
    assert "314,572,800 bytes" in problems["huge.md"]
    assert "out of the folder" in problems["escape.md"]
    assert indexed["documents"] == 2


@pytest.mark.requirement("path-outside-source-not-read")
@pytest.mark.usefixtures("indexed")
def test_a_file_behind_a_symlink_out_of_the_folder_is_never_found(citemark: Run) -> None:
    done = citemark("search", "launch code 0000", "--min-score", "0", "--top-k", "20", "--json")
    assert "launch code" not in done.stdout.replace('"launch code 0000"', "")


@pytest.mark.requirement("deletions-and-renames-are-followed", "commands-add-and-sync-sources")
@pytest.mark.usefixtures("indexed")
def test_an_edit_a_rename_and_a_deletion_are_noticed(folder: Path, citemark: Run) -> None:
    docs = folder / "docs"
    (docs / "travel.md").write_text("# Travel\n\nHotels may cost 140 euros a night.\nTrains are second class.\n")
    citemark("sync", "-q")
    before = parsed(citemark("evidence", "What may hotels cost?", "--json"))["quotes"][0]["citation"]
    (docs / "travel.md").rename(docs / "journeys.md")
    (docs / "zürich.txt").unlink()
    synced = parsed(citemark("sync", "--json"))
    assert synced["sources"]["docs"]["gone"] == 2
    after = parsed(citemark("evidence", "What may hotels cost?", "--json"))["quotes"][0]["citation"]
    assert (before["document_id"], after["document_id"]) == ("travel.md#travel", "journeys.md#travel")
    nearest = parsed(citemark("search", "office opens in Zürich at seven", "--json"))
    assert "Zürich" in nearest["notes"][0], "told, with the nearest passages of other documents"
    assert "zürich.txt" not in {hit["citation"]["document_id"] for hit in nearest["results"]}


@pytest.mark.usefixtures("indexed")
def test_a_second_sync_of_an_unchanged_folder_does_nothing(citemark: Run) -> None:
    citemark("sync", "-q")
    again = parsed(citemark("sync", "--json"))
    assert (again["documents"], again["chunks"], again["vectors"]) == (0, 0, 0)


@pytest.mark.requirement("status-shows-counts-rate-and-rest")
@pytest.mark.usefixtures("indexed")
def test_status_shows_both_counts(citemark: Run) -> None:
    status = parsed(citemark("status", "--json"))["sources"][0]
    assert status["chunks"] == status["vectors"] > 0
    assert status["vectors_waiting"] == status["texts_waiting"] == 0


@pytest.mark.requirement("unanswerable-question-gets-no-hits", "exit-codes-tell-outcomes-apart")
@pytest.mark.usefixtures("indexed")
def test_an_unanswerable_question_exits_with_three(citemark: Run) -> None:
    assert citemark("evidence", "What does the lunar orbit insertion burn cost?").returncode == 3


@pytest.mark.requirement("exit-codes-tell-outcomes-apart")
@pytest.mark.usefixtures("indexed")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("add", "docs", "/nowhere/at/all"), "not a folder"),
        (("add", "docs", ".", "--overlapping", "--language", "klingon"), "english"),
        (("sync", "unknown"), "no source named"),
        (("remove", "unknown"), "no source named"),
        (("search", " "), "must say something"),
        (("ask", ""), "must say something"),
        (("evidence", "why " * 2001), "at most 8000 characters"),
        (("search", "\udcff"), "not UTF-8"),
    ],
)
def test_wrong_usage_exits_with_code_two_and_explains_the_right_one(
    citemark: Run, arguments: tuple[str, ...], says: str
) -> None:
    done = citemark(*arguments)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    envelope = parsed(citemark(*arguments, "--json"))
    assert envelope["error"]["code"] == "INVALID_ARGUMENT"


def test_a_wrong_setting_is_named(citemark: Run) -> None:
    done = citemark("sources", CITEMARK_POOL_SIZE="many")
    assert done.returncode == 2
    assert "pool_size" in done.stderr.lower()


@pytest.mark.requirement("doctor-checks-the-installation")
@pytest.mark.usefixtures("indexed")
def test_doctor_finds_a_healthy_installation(citemark: Run) -> None:
    done = citemark("doctor", "--json")
    report = parsed(done)
    assert (done.returncode, report["healthy"]) == (0, True)
    assert all(finding["ok"] for finding in report["findings"])


@pytest.mark.requirement("doctor-tells-broken-from-unread")
@pytest.mark.usefixtures("indexed")
def test_doctor_warns_of_what_is_not_read_and_fails_for_what_is_broken(folder: Path, citemark: Run) -> None:
    (folder / "docs" / "logo.png").write_bytes(b"png")
    (folder / "docs" / "~$guide.docx").write_bytes(b"lock")
    synced = citemark("sync", "docs")
    for part in ("left out: ", "1 of unread types (1 .png)", "1 temporary file of an office program", "1 too large"):
        assert part in synced.stdout
    assert "--also" not in synced.stdout, "an image is no text"
    assert parsed(citemark("sync", "docs", "--json"))["sources"]["docs"]["skipped"] == {".png": 1}
    done = citemark("doctor")
    assert done.returncode == 0, done.stdout
    warned = next(line for line in done.stdout.splitlines() if line.startswith("warn documents: "))
    assert "docs: 5 with problems" in warned
    assert "`citemark problems docs` lists them" in warned
    assert "docs: 1 .png files are not read because of their type" in warned
    (folder / "docs").rename(folder / "away")
    try:
        citemark("sync", "docs", "-q")
        broken = citemark("doctor")
        assert broken.returncode == 1
        assert "FAIL sources: " in broken.stdout
    finally:
        (folder / "away").rename(folder / "docs")
        citemark("sync", "docs", "-q")


@pytest.mark.requirement("commands-add-and-sync-sources")
@pytest.mark.usefixtures("indexed")
def test_a_removed_source_leaves_nothing_to_find(folder: Path, citemark: Run) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "page.md").write_text("# Zeppelins\n\nA zeppelin is filled with helium.\n")
    citemark("add", "docs", str(other), "-q")
    assert citemark("search", "zeppelin helium").returncode == 0
    assert citemark("remove", "other", "--yes").returncode == 0
    assert citemark("search", "zeppelin helium").returncode == 3


@pytest.mark.requirement("forbidden-data-folder-gets-clear-error")
def test_a_data_folder_without_permission_is_refused_with_the_way_out(folder: Path, citemark: Run) -> None:
    done = citemark("sources", CITEMARK_DATA_DIR="/proc/citemark")
    assert done.returncode in (1, 2)
    assert "CITEMARK_DATA_DIR" in done.stderr or "/proc" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("indexed")
@pytest.mark.requirement("evaluation-reads-golden-files", "evaluation-gives-named-figures")
def test_golden_questions_are_measured_with_a_row_for_each(folder: Path, citemark: Run) -> None:
    golden = folder / "golden.yaml"
    golden.write_text(
        "- id: q1\n  question: Which port does the server listen on?\n  kind: factual\n"
        "  expect: [{path: guide.md}]\n  answer: port 4711\n"
        "- id: q2\n  question: What does the lunar orbit insertion burn cost?\n  kind: unanswerable\n  expect: []\n"
    )
    report = parsed(citemark("eval", str(golden), "--json"))
    assert (report["questions"], report["answerable"]) == (2, 1)
    assert (report["document_hit_at_5"], report["evidence_hit_at_5"]) == (1.0, 1.0)
    assert (report["abstained"], report["wrongly_abstained"]) == (1, 0)
    assert {"mrr", "ndcg_at_10", "recall_at_100", "bytes_median"} <= set(report)
    assert [row["id"] for row in report["rows"]] == ["q1", "q2"]
    kept, page = folder / "run.json", folder / "report.html"
    kept.write_text(json.dumps(report))
    again = parsed(citemark("eval", str(golden), "--against", str(kept), "--html", str(page), "--json"))
    assert (again["comparison"]["common"], again["comparison"]["gained"], again["comparison"]["lost"]) == (1, [], [])
    assert "Which port does the server listen on?" in page.read_text("utf-8")
    missing = citemark("eval", "nowhere.yaml", "--json")
    assert (missing.returncode, parsed(missing)["error"]["code"]) == (2, "INVALID_ARGUMENT")
    nothing = citemark("eval", str(golden), "--against", str(golden), "--json")
    assert (nothing.returncode, parsed(nothing)["error"]["code"]) == (2, "INVALID_ARGUMENT")


def test_answers_with_their_sources_are_checked_without_an_index(folder: Path, citemark: Run) -> None:
    answers = folder / "answers.yaml"
    answers.write_text(
        "- id: a1\n  question: When?\n  sources: [{n: 1, title: House, text: The library opens at nine.}]\n"
        "  answer: It opens at ten [1].\n"
        "  expect: {citations: [{sentence: 0, n: [1]}], unsupported_sentences: [0], unsupported_claims: [ten]}\n"
    )
    report = parsed(citemark("eval", str(answers), "--json"))
    assert (report["answers"], report["citations"], report["unsupported_recall"]) == (1, 1.0, 1.0)
    refused = citemark("eval", str(answers), "--html", str(folder / "page.html"), "--json")
    assert (refused.returncode, parsed(refused)["error"]["code"]) == (2, "INVALID_ARGUMENT")


@pytest.mark.requirement("evaluation-reads-beir-folders", "evaluation-gives-named-figures")
def test_a_test_collection_is_indexed_apart_and_measured(folder: Path, citemark: Run) -> None:
    place = folder / "tiny"
    place.mkdir()
    texts = {"d1": "Descale the boiler every six weeks.", "d2": "The gate closes at noon."}
    rows = [json.dumps({"_id": name, "title": "", "text": text}) for name, text in texts.items()]
    (place / "corpus.jsonl").write_text("\n".join(rows))
    (place / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "how often is the boiler descaled"}))
    (place / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\td1\t1\n")
    report = parsed(citemark("eval", str(place), "--json"))
    assert (report["questions"], report["ndcg_at_10"], len(report["rows"])) == (1, 1.0, 1)
    assert "tiny" not in citemark("sources", "--json").stdout


@pytest.mark.usefixtures("indexed")
@pytest.mark.requirement("data-folder-setting-moves-everything")
def test_everything_is_below_the_data_folder(folder: Path, citemark: Run) -> None:
    assert parsed(citemark("sources", "--json"))["sources"]
    assert list((folder / "home").rglob("*")) == []
    assert (folder / "data" / "postgres").is_dir()
    assert {path.name for path in folder.iterdir()} <= {
        "data", "docs", "home", "other", "secret.md", "golden.yaml", "answers.yaml", "tiny", "run.json", "report.html"
    }  # fmt: skip
    assert parsed(citemark("sources", "--json", CITEMARK_DATA_DIR=str(folder / "docs" / "elsewhere"))) == {
        "sources": []
    }
    shutil.rmtree(folder / "docs" / "elsewhere")
