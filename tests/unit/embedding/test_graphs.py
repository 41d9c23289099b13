"""What a model takes up in memory is given back while nobody uses it, and loaded once when it is used again."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.support.model_copies import copied_model

from citemark.embedding.graphs import return_memory
from citemark.embedding.minilm import MiniLM
from citemark.embedding.model_files import DamagedModel

TEXT = "The valve opens at four bar."


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def hand() -> Hand:
    return Hand()


@pytest.fixture
def idle(hand: Hand) -> MiniLM:
    """A model that was used for a question and for a document, a hundred seconds ago."""
    model = MiniLM(threads=1, seconds=hand)
    assert model.graphs_opened == 0
    model.embed_query(TEXT)
    model.embed_documents([TEXT])
    hand.seconds = 100
    return model


@pytest.mark.requirement("idle-model-is-unloaded")
def test_a_model_that_nobody_uses_is_let_go_and_loaded_once_by_the_next_question(idle: MiniLM) -> None:
    before = idle.embed_query(TEXT)
    assert (idle.let_go(101), idle.graphs_opened) == (False, 2)
    assert idle.let_go(0)
    assert not idle.let_go(0), "there is nothing left to drop"
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(idle.embed_query, [TEXT] * 4))
    assert idle.graphs_opened == 3, "threads that ask at the same time wait for one load"
    assert idle.tokenizer.offsets([TEXT])[0][0] == (0, 3)
    for vector in again:
        np.testing.assert_array_equal(vector, before)
    assert idle.let_go(0)
    assert idle.tokenizer.batch(["zymurgy"], 8)[0], "texts are counted without a graph"
    assert idle.graphs_opened == 3


@pytest.mark.requirement("idle-model-is-unloaded")
def test_a_graph_in_use_stays_while_another_is_let_go(idle: MiniLM, hand: Hand) -> None:
    idle.embed_documents([TEXT])
    hand.seconds = 150
    assert idle.let_go(100)
    idle.embed_documents([TEXT])
    assert idle.graphs_opened == 2, "the graph for documents was used fifty seconds ago"
    idle.embed_query(TEXT)
    assert idle.graphs_opened == 3


@pytest.mark.requirement("idle-model-is-unloaded")
def test_a_model_that_was_replaced_meanwhile_is_not_taken_for_the_one_of_before(tmp_path: Path) -> None:
    files = copied_model(tmp_path)
    model = MiniLM(threads=1, files=files)
    model.embed_query(TEXT)
    assert model.let_go(0)
    fresh = tmp_path / "fresh"
    fresh.write_bytes(files.query_graph.read_bytes())
    fresh.replace(files.query_graph)
    with pytest.raises(DamagedModel, match="was replaced while this process ran"):
        model.embed_query(TEXT)


@pytest.mark.parametrize("name", ["query_graph", "word_table"])
def test_a_graph_or_its_table_of_words_that_is_missing_is_reported(tmp_path: Path, name: str) -> None:
    files = copied_model(tmp_path)
    model = MiniLM(threads=1, files=files)
    getattr(files, name).unlink()
    with pytest.raises(DamagedModel, match="cannot be loaded"):
        model.embed_query(TEXT)


def test_freed_memory_can_be_given_back_on_every_system() -> None:
    return_memory()
