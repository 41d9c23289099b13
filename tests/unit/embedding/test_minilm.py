"""MiniLM against vectors that sentence-transformers computed with torch, at 256 tokens."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from citemark.embedding.contract import Embedder, Vectors
from citemark.embedding.minilm import MiniLM

REFERENCE = Path(__file__).parent / "reference_vectors.json"
TEXTS = [entry["text"] for entry in json.loads(REFERENCE.read_text())]
TRUTH: Vectors = np.array([entry["vector"] for entry in json.loads(REFERENCE.read_text())], np.float32)
MIXED = [f"Depot {k} ships {k * 7} crates{' of cold pump valves' * (k * 5 % 17)}." for k in range(15)]


def cosines(left: Vectors, right: Vectors) -> Vectors:
    return np.einsum("nd,nd->n", left, right)


@pytest.mark.requirement("vectors-equal-reference-vectors", "questions-in-fp32-documents-in-int8")
def test_a_question_has_the_vector_of_the_original_model(minilm: MiniLM) -> None:
    ours = np.stack([minilm.embed_query(text) for text in TEXTS])
    assert cosines(ours, TRUTH).min() >= 0.9999


@pytest.mark.requirement("vectors-equal-reference-vectors")
def test_a_document_is_close_to_the_vector_of_the_original_model(minilm: MiniLM) -> None:
    closeness = cosines(minilm.embed_documents(TEXTS), TRUTH)
    sentences = np.array([len(text) > 1 for text in TEXTS])
    assert closeness[sentences].min() >= 0.992
    assert closeness.min() >= 0.975  # a lone full stop has nothing to average its rounding over


def test_every_vector_has_unit_length(minilm: MiniLM) -> None:
    texts = [*TEXTS, "", " ", "\x00", "\ufffd" * 5]
    documents = minilm.embed_documents(texts)
    questions = np.stack([minilm.embed_query(text) for text in texts])
    assert documents.shape == questions.shape == (len(texts), minilm.identity.dimensions)
    assert documents.dtype == questions.dtype == np.float32
    for vectors in (documents, questions):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_vectors(minilm: MiniLM) -> None:
    assert minilm.embed_documents([]).shape == (0, 384)


def test_the_order_given_is_the_order_returned(minilm: MiniLM) -> None:
    together = minilm.embed_documents(MIXED)
    alone = np.concatenate([minilm.embed_documents([text]) for text in MIXED])
    assert cosines(together, alone).min() >= 0.9999


def test_a_vector_does_not_depend_on_the_texts_beside_it(minilm: MiniLM) -> None:
    alone = minilm.embed_documents(TEXTS[:1])[0]
    beside = minilm.embed_documents([TEXTS[0], *TEXTS[4:], "crates " * 400])[0]
    assert float(alone @ beside) >= 0.99995


def test_the_same_call_gives_the_same_bytes(minilm: MiniLM) -> None:
    again = MiniLM(threads=1)
    assert minilm.embed_documents(MIXED).tobytes() == again.embed_documents(MIXED).tobytes()
    assert minilm.embed_query(TEXTS[0]).tobytes() == again.embed_query(TEXTS[0]).tobytes()


def test_text_beyond_the_last_token_is_not_read(minilm: MiniLM) -> None:
    fits = "valve " * (minilm.identity.max_tokens - 2)
    one_more, one_less = fits + "kettle", fits.removesuffix("valve ") + "kettle"
    np.testing.assert_array_equal(minilm.embed_query(fits), minilm.embed_query(one_more))
    assert not np.array_equal(minilm.embed_query(fits), minilm.embed_query(one_less))


def test_threads_share_one_embedder_from_its_first_use(minilm: MiniLM) -> None:
    calls = [MIXED[k : k + 5] for k in range(0, 15, 5)]
    expected = [minilm.embed_documents(call) for call in calls]
    shared = MiniLM(threads=1)
    with ThreadPoolExecutor(4) as pool:
        documents = list(pool.map(shared.embed_documents, calls))
        questions = list(pool.map(shared.embed_query, TEXTS))
    for got, wanted in zip(documents, expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
    assert cosines(np.stack(questions), TRUTH).min() >= 0.9999


@pytest.mark.requirement("later-minilm")
def test_minilm_names_its_identity_and_calibration(minilm: MiniLM) -> None:
    embedder: Embedder = minilm
    identity, calibration = embedder.identity, embedder.calibration
    assert (identity.model, identity.dimensions) == ("sentence-transformers/all-MiniLM-L6-v2", 384)
    assert (identity.max_tokens, identity.languages) == (256, ("en",))
    assert len(identity.fingerprint) == 32
    assert calibration is not None
    for knots in (calibration.fused, calibration.lexical):
        assert list(knots) == sorted(knots)
        assert all(0 <= score <= 1 for _, score in knots)
        assert [score for _, score in knots] == sorted(score for _, score in knots)
