"""What a process loads and writes that makes the model."""

import os
import subprocess
import sys
from pathlib import Path


def test_importing_and_constructing_the_embedder_loads_no_engine() -> None:
    program = (
        "import sys, citemark.embedding.minilm as m; m.MiniLM(); "
        "print(*{'onnxruntime', 'tokenizers', 'torch'} & sys.modules.keys())"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], check=True, env=environment, capture_output=True, text=True)
    assert done.stdout.split() == []


def test_the_engine_sends_no_telemetry_and_writes_nothing_into_the_home_folder(tmp_path: Path) -> None:
    program = "from citemark.embedding.minilm import MiniLM; MiniLM().embed_query('x'); MiniLM().embed_documents(['x'])"
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(tmp_path)}
    environment.pop("XDG_CACHE_HOME", None)
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    assert list(tmp_path.rglob("*")) == []
