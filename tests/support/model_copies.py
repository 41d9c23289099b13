"""Copies of the installed model that a test may damage."""

import dataclasses
import json
import shutil
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import citemark_minilm
from citemark_minilm import Files

from citemark.embedding.contract import Vectors


def copied_model(folder: Path) -> Files:
    """The files of the bundled model, copied into `folder`."""
    installed = citemark_minilm.files()
    return Files(
        **{
            field.name: Path(shutil.copy(getattr(installed, field.name), folder))
            for field in dataclasses.fields(installed)
        }
    )


def flip_a_byte(path: Path) -> None:
    """Change one bit in the middle of a file, so that its size stays the same."""
    with path.open("r+b") as stream:
        stream.seek(path.stat().st_size // 2)
        byte = stream.read(1)[0]
        stream.seek(-1, 1)
        stream.write(bytes([byte ^ 1]))


def with_references(files: Files, vectors: Mapping[str, Vectors]) -> None:
    """Let a copy ship with references, and be one that reads all languages."""
    packed = {language: b64encode(each.astype("<f2").tobytes()).decode() for language, each in vectors.items()}
    calibration = json.loads(files.calibration.read_bytes())
    files.calibration.write_text(json.dumps(calibration | {"references": {"apart": 0.125, "vectors": packed}}))
    manifest = json.loads(files.manifest.read_bytes())
    files.manifest.write_text(json.dumps(manifest | {"languages": []}))
