"""Where the files of the cross-encoder ms-marco-MiniLM-L-12 are."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["CrossEncoderFiles", "files"]


@dataclass(frozen=True, slots=True)
class CrossEncoderFiles:
    """Paths of the installed model.

    `manifest` is JSON: model, max_tokens, upstream, and `files` (name to `bytes` and `sha256`) for the other two.
    """

    graph: Path
    tokenizer: Path
    manifest: Path


def files() -> CrossEncoderFiles:
    """Name every file of the model; nothing is read or checked."""
    model = Path(__file__).parent / "model"
    return CrossEncoderFiles(model / "model.onnx", model / "tokenizer.json", model / "manifest.json")
