"""The installed files of a model: its manifest, and checks that the files are those that it names."""

import hashlib
import json
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from citemark.model.errors import BackendUnavailable
from citemark.model.vectors import Calibration, EmbeddingIdentity, References

_BLOCK = 1 << 20
"""Bytes that are read and hashed in one step."""


_BUNDLED = "citemark_minilm"


class ModelFiles(Protocol):
    """Where the files of an installed model are, as its package tells."""

    @property
    def query_graph(self) -> Path:
        """The graph for questions."""
        ...

    @property
    def document_graph(self) -> Path:
        """The graph for documents."""
        ...

    @property
    def tokenizer(self) -> Path:
        """What texts are divided by."""
        ...

    @property
    def manifest(self) -> Path:
        """JSON: the identity, and each file beside it with its size and SHA-256."""
        ...

    @property
    def calibration(self) -> Path:
        """JSON: how relevance becomes a score."""
        ...


class DamagedModel(BackendUnavailable):
    """A file of the model is missing or is not the one its manifest names."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"The model file {path} {problem}. Reinstall the package {_package_of(path)}.",
            path=str(path),
            problem=problem,
        )


@dataclass(frozen=True, slots=True)
class ShippedFile:
    """One file, with the size and SHA-256 that it had when the package was built."""

    path: Path
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The model's identity, what it expects before texts, and the files that the package was built with."""

    identity: EmbeddingIdentity
    shipped: tuple[ShippedFile, ...]
    query_prefix: str = ""
    document_prefix: str = ""

    def file(self, path: Path) -> ShippedFile:
        """What the package was built with at a path.

        Raises:
            DamagedModel: the manifest does not list it.
        """
        for file in self.shipped:
            if file.path == path:
                return file
        raise DamagedModel(path, "is not listed in the manifest")


def read_manifest(files: ModelFiles) -> Manifest:
    """Read the manifest and compare sizes: cheap enough for every start.

    Raises:
        DamagedModel: the manifest is unreadable, or a file is missing or of another size.
    """
    manifest = _parsed(files.manifest)
    try:
        identity = EmbeddingIdentity(
            model=str(manifest["model"]),
            fingerprint=str(manifest["fingerprint"]),
            dimensions=int(manifest["dimensions"]),
            max_tokens=int(manifest["max_tokens"]),
            languages=tuple(manifest["languages"]),
        )
        folder = files.manifest.parent
        shipped = tuple(
            ShippedFile(folder / name, int(entry["bytes"]), str(entry["sha256"]))
            for name, entry in manifest["files"].items()
        )
        prefixes = str(manifest.get("query_prefix", "")), str(manifest.get("document_prefix", ""))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedModel(files.manifest, f"lacks a field or has a malformed one ({error!r})") from error
    for file in shipped:
        _compare_size(file)
    return Manifest(identity, shipped, *prefixes)


def read_calibration(files: ModelFiles) -> Calibration:
    """Read the knots that map relevance to a score, and the references of a model that has any.

    Raises:
        DamagedModel: the file is unreadable.
    """
    parsed = _parsed(files.calibration)
    try:
        return Calibration(
            fused=_knots(parsed["fused"]),
            lexical=_knots(parsed["lexical"]),
            agreement=tuple(map(_knots, parsed.get("agreement", ()))),
            references=_references(parsed["references"]) if "references" in parsed else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedModel(files.calibration, f"lacks a field or has a malformed one ({error!r})") from error


def verify(manifest: Manifest) -> None:
    """Hash every file. This reads up to 80 MB, so only `citemark doctor` does it, never a start.

    Raises:
        DamagedModel: the first file that differs.
    """
    for file in manifest.shipped:
        check(file)


def check(shipped: ShippedFile) -> None:
    """Check the size and the hash of one file.

    Raises:
        DamagedModel: either differs.
    """
    _compare_size(shipped)
    digest = hashlib.sha256()
    with shipped.path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    if digest.hexdigest() != shipped.sha256:
        raise DamagedModel(shipped.path, f"has SHA-256 {digest.hexdigest()}, expected {shipped.sha256}")


def _compare_size(shipped: ShippedFile) -> None:
    try:
        size = shipped.path.stat().st_size
    except OSError as error:
        raise DamagedModel(shipped.path, "cannot be read") from error
    if size != shipped.size:
        raise DamagedModel(shipped.path, f"has {size} bytes, expected {shipped.size}")


def _parsed(path: Path) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise DamagedModel(path, "cannot be read as JSON") from error
    return parsed


def _package_of(path: Path) -> str:
    """The package that a file belongs to; the bundled model's unless the path names another."""
    return next((part for part in reversed(path.parts) if part.startswith("citemark_")), _BUNDLED).replace("_", "-")


def _references(parsed: dict[str, Any]) -> References:
    """The references as they ship: by language, 16-bit little-endian floats in base64."""
    by_language: dict[str, str] = parsed["vectors"]
    packed = [b64decode(each, validate=True) for each in by_language.values()]
    if not packed or not packed[0] or len({*map(len, packed)}) > 1:
        raise ValueError("not as many references for each language")
    vectors = np.frombuffer(b"".join(packed), "<f2").astype(np.float32)
    return References(tuple(by_language), vectors.tobytes(), float(parsed["apart"]))


def _knots(pairs: list[list[float]]) -> tuple[tuple[float, float], ...]:
    return tuple((float(relevance), float(score)) for relevance, score in pairs)
