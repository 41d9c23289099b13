"""`python -m tests.bench.references`: the references that a model ships with in its calibration (ADR 48), as JSON.

The model is the one that the settings name; the texts are those of tests/data/references.
"""

import json
import sys
from base64 import b64encode
from itertools import combinations
from statistics import fmean, median
from typing import Any

import numpy as np
import yaml
from tests.bench.locations import ROOT

from citemark.app.embedding_models import configured_embedder
from citemark.embedding.contract import Embedder, Vectors
from citemark.settings import load_settings

_TEXTS = ROOT / "tests" / "data" / "references" / "four.yaml"


def references(embedder: Embedder) -> dict[str, Any]:
    """The field `references` of calibration.json: by language, 16-bit little-endian floats in base64."""
    rows: list[dict[str, str]] = yaml.safe_load(_TEXTS.read_text("utf-8"))
    vectors = {language: embedder.embed_documents([row[language] for row in rows]) for language in rows[0]}
    return {
        "apart": round(apart(list(vectors.values())), 4),
        "vectors": {name: b64encode(each.astype("<f2").tobytes()).decode() for name, each in vectors.items()},
    }


def apart(vectors: list[Vectors]) -> float:
    """By how much the mean cosine of two texts of one language exceeds the median of those with other languages."""
    within = [fmean(float(one @ other) for one, other in combinations(each, 2)) for each in vectors]
    across = [median(float(np.mean(each @ other.T)) for other in vectors if other is not each) for each in vectors]
    return fmean(own - others for own, others in zip(within, across, strict=True))


if __name__ == "__main__":
    json.dump(references(configured_embedder(load_settings())), sys.stdout, indent=2)
