"""What runs the graph for documents is chosen by a setting."""

import sys

import pytest

from citemark.app.embedding_models import bundled_model, configured_embedder
from citemark.embedding.document_graphs import OnnxDocuments, documents_by
from citemark.embedding.minilm import MiniLM
from citemark.model.errors import ConfigurationError
from citemark.settings import load_settings


def test_onnxruntime_is_what_runs_documents_unless_a_setting_names_another() -> None:
    assert load_settings().embedding_runtime == "onnxruntime"
    assert documents_by("onnxruntime") is OnnxDocuments


@pytest.mark.requirement("openvino-is-an-extra")
@pytest.mark.parametrize("provider", ["minilm", "openai"])
def test_a_runtime_that_is_not_installed_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setitem(sys.modules, "openvino", None)
    settings = load_settings(embedding_runtime="openvino", embedding_provider=provider)
    with pytest.raises(ConfigurationError, match=r"install citemark\[openvino\], or leave embedding_runtime out"):
        configured_embedder(settings) if provider == "minilm" else bundled_model(settings)


def test_the_identity_and_the_calibration_are_read_without_the_runtime(minilm: MiniLM) -> None:
    other = MiniLM(documents=lambda path, seconds: OnnxDocuments(path.with_name("absent.onnx"), seconds))
    assert (other.identity, other.calibration) == (minilm.identity, minilm.calibration)
