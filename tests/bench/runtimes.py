"""What runs documents faster on one core: onnxruntime or OpenVINO, the same graph and texts in turns.

OpenVINO is not among what the other parts have: this one runs with the folder that `make openvino` installs it into.
"""

import asyncio
import json
import os
import subprocess
import sys
from itertools import islice
from statistics import median
from time import process_time

from tests.bench.locations import ROOT
from tests.bench.measure import load
from tests.bench.texts import pages

from citemark.embedding.document_graphs import Runtime, documents_by
from citemark.embedding.minilm import MiniLM

INSTALLED = ROOT / ".build" / "openvino"
_TEXTS = 96
_ROUNDS = 5
_RUNTIMES: tuple[Runtime, ...] = ("onnxruntime", "openvino")


async def measure() -> dict[str, object]:
    """Chunks per second of processor time of each runtime, and their ratio; empty unless OpenVINO is installed."""
    if not INSTALLED.exists():
        return {}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(INSTALLED), str(ROOT)])}
    command = [sys.executable, "-m", "tests.bench.runtimes"]
    done = await asyncio.to_thread(
        subprocess.run, command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    return {**json.loads(done.stdout), "load": load()}


def _compared() -> dict[str, object]:
    texts = list(
        islice((f"{section.heading}\n{section.text}" for page in pages(_TEXTS) for section in page.sections), _TEXTS)
    )
    models: dict[Runtime, MiniLM] = {
        runtime: MiniLM(threads=1, documents=documents_by(runtime)) for runtime in _RUNTIMES
    }
    vectors = {runtime: model.embed_documents(texts) for runtime, model in models.items()}
    truth = models["onnxruntime"].embed_queries(texts)
    spent: dict[Runtime, list[float]] = {runtime: [] for runtime in _RUNTIMES}
    for _ in range(_ROUNDS):
        for runtime, model in models.items():
            began = process_time()
            model.embed_documents(texts)
            spent[runtime].append(process_time() - began)
    rates = {runtime: len(texts) / median(seconds) for runtime, seconds in spent.items()}
    return {
        "chunks": len(texts),
        **{f"{runtime}_per_s": round(rate, 1) for runtime, rate in rates.items()},
        **{f"{runtime}_cosine": round(float((made * truth).sum(axis=1).min()), 4) for runtime, made in vectors.items()},
        "ratio": round(rates["openvino"] / rates["onnxruntime"], 2),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_compared()))
