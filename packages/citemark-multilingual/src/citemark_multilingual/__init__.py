"""Where the files of the sentence encoder multilingual-e5-small are."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Files", "files"]


@dataclass(frozen=True, slots=True)
class Files:
    """Paths of the installed model.

    `manifest` is JSON: model, fingerprint, dimensions, max_tokens, languages, query_prefix, document_prefix, upstream,
    and `files` (name to `bytes` and `sha256`) for the two graphs, the weights that both read from the file beside them,
    and the tokenizer. `calibration` is JSON outside the manifest.
    """

    query_graph: Path
    document_graph: Path
    weights: Path
    tokenizer: Path
    manifest: Path
    calibration: Path


def files() -> Files:
    """Name every file of the model; nothing is read or checked."""
    package = Path(__file__).parent
    model = package / "model"
    return Files(
        query_graph=model / "query.onnx",
        document_graph=model / "document.onnx",
        weights=model / "weights.bin",
        tokenizer=model / "tokenizer.json",
        manifest=model / "manifest.json",
        calibration=package / "calibration.json",
    )
