import json
from pathlib import Path

import pytest
from tests.support.verdicts import verdicts_of

from citemark.evaluation.beir import beir_connector, database_of, document, is_collection, load_collection
from citemark.model.documents import DocumentRef, Listed, ScanEnd, Verdict
from citemark.model.errors import FatalSourceError, InvalidArgument
from citemark.model.ids import NativeId, Version


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def collection(folder: Path, qrels: str = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq3\td1\t1\n") -> Path:
    (folder / "corpus.jsonl").write_text(
        lines({"_id": "d1", "title": "One", "text": "first\n\nsecond"}, {"_id": "d2", "text": "l\u2028s"})
    )
    (folder / "queries.jsonl").write_text(lines({"_id": "q1", "text": "one?"}, {"_id": "q2", "text": "two?"}))
    (folder / "qrels.tsv").write_text(qrels)
    return folder


@pytest.mark.requirement("evaluation-reads-beir-folders")
@pytest.mark.parametrize(
    "qrels",
    [
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\n",
        "q1\td1\t2\nq1\td2\t0\n",
        "q1 0 d1 2\nq1 0 d2 0\n",
    ],
)
def test_grades_are_read_with_a_header_without_and_in_four_columns(tmp_path: Path, qrels: str) -> None:
    loaded = load_collection(collection(tmp_path, qrels))
    assert loaded.qrels == {"q1": {"d1": 2, "d2": 0}}
    assert loaded.queries == {"q1": "one?"}


def test_grades_may_be_in_the_folder_of_a_split(tmp_path: Path) -> None:
    folder = collection(tmp_path)
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    assert load_collection(folder).qrels["q1"]["d1"] == 2


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("qrels.tsv", "q1\td1\t1\nq1\td2\tmuch\n", "line 2"),
        ("qrels.tsv", "q9\td1\t1\n", "no question"),
        ("queries.jsonl", '{"_id": "q1"}\n', "line 1: text is missing"),
        ("queries.jsonl", '{"_id": "q1", "text": "a"}\n[]\n', "line 2: not a JSON object"),
        ("queries.jsonl", "{", "line 1: not a JSON object"),
    ],
)
def test_a_wrong_collection_is_refused_with_file_and_line(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    folder = collection(tmp_path)
    (folder / name).write_text(text)
    with pytest.raises(InvalidArgument, match=complaint):
        load_collection(folder)


def test_a_folder_without_the_files_is_not_a_collection(tmp_path: Path) -> None:
    assert not is_collection(tmp_path)
    with pytest.raises(InvalidArgument, match="not a test collection"):
        load_collection(tmp_path)


@pytest.mark.requirement("evaluation-reads-beir-folders")
async def test_the_corpus_is_listed_fetched_and_vouched_for(tmp_path: Path) -> None:
    connector = beir_connector({"root": str(collection(tmp_path))})
    listed = [item async for item in connector.scanner.scan()]
    assert listed[-1] == ScanEnd(complete=True)
    first, second = (item for item in listed if isinstance(item, Listed))
    assert (first.native_id, second.native_id) == ("d1", "d2")
    fetched = await connector.processor.fetch("document", NativeId("d1"))
    assert fetched is not None
    assert fetched.version == first.version
    assert fetched.extracted.title == "One"
    refs = [
        DocumentRef("document", first.native_id, first.version),
        DocumentRef("document", first.native_id, Version("old")),
        DocumentRef("document", NativeId("d9"), first.version),
    ]
    assert list((await verdicts_of(connector.verifier, refs)).values()) == [Verdict.OK, Verdict.CHANGED, Verdict.GONE]
    assert await connector.processor.fetch("document", NativeId("d9")) is None


async def test_a_changed_corpus_is_noticed_line_by_line(tmp_path: Path) -> None:
    folder = collection(tmp_path)
    connector = beir_connector({"root": str(folder)})
    before = {item.native_id: item.version async for item in connector.scanner.scan() if isinstance(item, Listed)}
    with (folder / "corpus.jsonl").open("a") as corpus:
        corpus.write(lines({"_id": "d3", "text": "new"}))
    after = {item.native_id: item.version async for item in connector.scanner.scan() if isinstance(item, Listed)}
    assert set(after) - set(before) == {"d3"}
    assert {native_id: after[native_id] for native_id in before} == before


async def test_a_broken_corpus_line_stops_the_listing_by_name(tmp_path: Path) -> None:
    folder = collection(tmp_path)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "text": "a"}\nnonsense\n')
    with pytest.raises(FatalSourceError, match="line 2"):
        _ = [item async for item in beir_connector({"root": str(folder)}).scanner.scan()]


def test_the_title_is_not_part_of_the_body() -> None:
    extracted = document("A title", "one\n\n\n two \nthree\n\n")
    assert extracted.title == "A title"
    assert extracted.body == "one\n\n\n two \nthree\n\n"
    assert [block.span.of(extracted.body) for block in extracted.blocks] == ["one", "two \nthree"]


def test_a_title_without_text_is_its_own_body() -> None:
    extracted = document("A title", " \n")
    assert extracted.body == "A title"
    assert len(extracted.blocks) == 1


def test_each_folder_has_a_database_of_its_own(tmp_path: Path) -> None:
    assert database_of(tmp_path) == database_of(tmp_path)
    assert database_of(tmp_path) != database_of(tmp_path / "a")
    assert database_of(tmp_path).startswith("citemark_eval_")
    assert database_of(tmp_path).isidentifier()
