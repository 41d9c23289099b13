"""Copies of the installed model that a test may damage."""

import dataclasses
import shutil
from pathlib import Path

import citemark_minilm
from citemark_minilm import Files


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
