"""Documents by OpenVINO: the same space, as many threads, and not a word to anybody (`make openvino`)."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.support.model_copies import copied_model

from citemark.embedding.contract import Vectors
from citemark.embedding.document_graphs import documents_by
from citemark.embedding.minilm import MiniLM
from citemark.embedding.model_files import DamagedModel
from citemark.model.errors import BackendUnavailable

pytest.importorskip("openvino", reason="the extra openvino is not installed: make openvino")

REFERENCE = json.loads((Path(__file__).parent / "reference_vectors.json").read_text())
SENTENCES = [str(entry["text"]) for entry in REFERENCE if len(entry["text"]) > 1]
TRUTH: Vectors = np.array([entry["vector"] for entry in REFERENCE if len(entry["text"]) > 1], np.float32)
MIXED = [f"Depot {k} ships {k * 7} crates{' of cold pump valves' * (k * 5 % 17)}." for k in range(15)]

SILENT = """
import os, socket, sys
from pathlib import Path
from citemark.embedding.document_graphs import documents_by
from citemark.embedding.minilm import MiniLM

seen = []
WATCHED = ("socket.", "subprocess.", "os.fork", "os.posix_spawn", "os.exec", "os.system", "urllib.", "http.")

def refuse(event, _):
    if event.startswith(WATCHED):
        seen.append(event)
        raise PermissionError(event)

sys.addaudithook(refuse)
model = MiniLM(documents=documents_by("openvino"))
model.embed_documents(["The valve opens at four bar."])
assert "openvino" in sys.modules
assert seen == [], seen
assert sys.modules["openvino_telemetry"] is None
held = [Path("/proc/self/fd", fd) for fd in os.listdir("/proc/self/fd")]
assert not [file for file in held if file.is_symlink() and os.readlink(file).startswith("socket:")]
assert list(Path.home().iterdir()) == []
try:
    socket.socket()
except PermissionError:
    print("a socket would have been refused")
"""


def cosines(left: Vectors, right: Vectors) -> Vectors:
    return np.einsum("nd,nd->n", left, right)


@pytest.fixture(scope="module")
def openvino() -> MiniLM:
    return MiniLM(threads=1, documents=documents_by("openvino"))


@pytest.mark.requirement("openvino-shares-the-space")
def test_vectors_of_documents_are_as_close_to_full_precision_as_those_of_onnxruntime(
    openvino: MiniLM, minilm: MiniLM
) -> None:
    by_openvino, by_onnxruntime = openvino.embed_documents(SENTENCES), minilm.embed_documents(SENTENCES)
    assert cosines(by_openvino, TRUTH).min() >= 0.992
    assert cosines(by_openvino, by_onnxruntime).min() >= 0.995  # as far apart as both are from full precision
    np.testing.assert_allclose(np.linalg.norm(by_openvino, axis=1), 1, atol=1e-5)


@pytest.mark.requirement("openvino-shares-the-space")
def test_questions_and_the_identity_do_not_change_with_what_runs_documents(openvino: MiniLM, minilm: MiniLM) -> None:
    np.testing.assert_array_equal(openvino.embed_query(MIXED[3]), minilm.embed_query(MIXED[3]))
    assert (openvino.identity, openvino.calibration) == (minilm.identity, minilm.calibration)


def test_a_vector_hardly_depends_on_the_texts_beside_it(openvino: MiniLM) -> None:
    together = openvino.embed_documents(MIXED)
    alone = np.concatenate([openvino.embed_documents([text]) for text in MIXED])
    assert cosines(together, alone).min() >= 0.999


def test_threads_share_one_embedder_from_its_first_use(openvino: MiniLM) -> None:
    calls = [MIXED[k : k + 5] for k in range(0, 15, 5)]
    expected = [openvino.embed_documents(call) for call in calls]
    shared = MiniLM(threads=1, documents=documents_by("openvino"))
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(shared.embed_documents, calls * 2))
    for got, wanted in zip(found, expected * 2, strict=True):
        np.testing.assert_allclose(got, wanted, atol=1e-5)
    assert shared.graphs_opened == 1


def test_a_graph_is_let_go_and_opened_again() -> None:
    model = MiniLM(threads=1, documents=documents_by("openvino"))
    before = model.embed_documents(MIXED[:1])
    assert (model.is_loaded, model.let_go(0), model.is_loaded) == (True, True, False)
    np.testing.assert_allclose(model.embed_documents(MIXED[:1]), before, atol=1e-5)
    assert model.graphs_opened == 2


def test_a_closed_model_makes_no_more_vectors() -> None:
    model = MiniLM(threads=1, documents=documents_by("openvino"))
    model.close()
    with pytest.raises(BackendUnavailable, match="was closed before"):
        model.embed_documents(MIXED[:1])


def test_a_graph_that_is_missing_is_reported(tmp_path: Path) -> None:
    files = copied_model(tmp_path)
    model = MiniLM(threads=1, files=files, documents=documents_by("openvino"))
    files.document_graph.unlink()
    with pytest.raises(DamagedModel, match="cannot be loaded"):
        model.embed_documents(MIXED[:1])


@pytest.mark.requirement("openvino-is-silent")
def test_the_telemetry_that_comes_along_sends_nothing_and_keeps_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SILENT],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "a socket would have been refused\n", done.stderr
