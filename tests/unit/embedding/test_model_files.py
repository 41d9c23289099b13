"""A damaged model is refused: by size at every start, by hash when the doctor asks."""

import json
from pathlib import Path

import numpy as np
import pytest
from citemark_minilm import Files
from tests.support.model_copies import copied_model, flip_a_byte, with_references

from citemark.embedding.minilm import MiniLM
from citemark.embedding.model_files import DamagedModel


@pytest.fixture
def copy(tmp_path: Path) -> Files:
    return copied_model(tmp_path)


def test_an_undamaged_model_is_verified(copy: Files) -> None:
    MiniLM(files=copy).verify_files()


@pytest.mark.parametrize("name", ["query_graph", "document_graph", "word_table", "tokenizer"])
def test_a_changed_byte_is_found_by_hash(copy: Files, name: str) -> None:
    path: Path = getattr(copy, name)
    flip_a_byte(path)
    embedder = MiniLM(files=copy)
    with pytest.raises(DamagedModel, match=r"SHA-256 .*Reinstall the package citemark-minilm") as caught:
        embedder.verify_files()
    assert caught.value.details["path"] == str(path)


def test_a_shortened_file_is_refused_at_the_start(copy: Files) -> None:
    copy.query_graph.write_bytes(copy.query_graph.read_bytes()[:-1])
    with pytest.raises(DamagedModel, match=r"query\.onnx has \d+ bytes, expected \d+"):
        MiniLM(files=copy)


def test_a_missing_file_is_refused_at_the_start(copy: Files) -> None:
    copy.document_graph.unlink()
    with pytest.raises(DamagedModel, match=r"document\.onnx cannot be read"):
        MiniLM(files=copy)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"model": 1}', "not JSON"])
def test_a_broken_manifest_is_refused_at_the_start(copy: Files, content: str) -> None:
    copy.manifest.write_text(content)
    with pytest.raises(DamagedModel, match=r"manifest\.json"):
        MiniLM(files=copy)


def test_references_are_read_as_the_vectors_that_were_shipped(copy: Files) -> None:
    vectors = np.array([[[0.5, -0.5], [1.0, 0.0]], [[0.25, 0.75], [0.0, 1.0]]], np.float32)
    with_references(copy, {"german": vectors[0], "english": vectors[1]})
    references = MiniLM(files=copy).calibration.references
    assert references is not None
    assert (references.languages, references.apart) == (("german", "english"), 0.125)
    assert np.frombuffer(references.vectors, np.float32).reshape(2, 2, 2).tolist() == vectors.tolist()


@pytest.mark.parametrize(
    "references",
    [
        None,
        [],
        {},
        {"apart": 0.1, "vectors": {}},
        {"apart": 0.1, "vectors": {"german": ""}},
        {"apart": 0.1, "vectors": {"german": "?"}},
        {"apart": 0.1, "vectors": {"german": "AAAA", "english": "AAAAAAAA"}},
    ],
)
def test_broken_references_are_refused_at_the_start(copy: Files, references: object) -> None:
    parsed = json.loads(copy.calibration.read_bytes())
    copy.calibration.write_text(json.dumps(parsed | {"references": references}))
    with pytest.raises(DamagedModel, match=r"calibration\.json"):
        MiniLM(files=copy)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"fused": [[0]], "lexical": []}'])
def test_a_broken_calibration_is_refused_at_the_start(copy: Files, content: str) -> None:
    copy.calibration.write_text(content)
    with pytest.raises(DamagedModel, match=r"calibration\.json"):
        MiniLM(files=copy)


def test_a_graph_that_the_engine_cannot_read_is_a_damaged_model(copy: Files) -> None:
    size = copy.query_graph.stat().st_size
    copy.query_graph.write_bytes(b"\xff" * size)
    embedder = MiniLM(files=copy)
    with pytest.raises(DamagedModel, match=r"query\.onnx"):
        embedder.embed_query("anything")


def test_new_knots_leave_the_fingerprint_alone(copy: Files) -> None:
    copy.calibration.write_text(json.dumps({"fused": [[0, 0], [1, 1]], "lexical": [[0, 0], [1, 1]]}))
    changed, installed = MiniLM(files=copy), MiniLM()
    assert changed.calibration != installed.calibration
    assert changed.identity == installed.identity
    changed.verify_files()
