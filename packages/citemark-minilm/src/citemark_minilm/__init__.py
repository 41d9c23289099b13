"""Where the files of the sentence encoder all-MiniLM-L6-v2 are."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Files", "files"]


@dataclass(frozen=True, slots=True)
class Files:
    """Paths of the installed model.

    `manifest` is JSON: model, fingerprint, dimensions, max_tokens, languages, upstream, and `files` (name to
    `bytes` and `sha256`) for the two graphs, the table of words that both read from the file beside them, and the
    tokenizer. `calibration` is JSON outside the manifest.
    """

    query_graph: Path
    document_graph: Path
    word_table: Path
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
        word_table=model / "words.bin",
        tokenizer=model / "tokenizer.json",
        manifest=model / "manifest.json",
        calibration=package / "calibration.json",
    )
