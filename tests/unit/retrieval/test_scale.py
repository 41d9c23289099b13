"""Each question has a scale of its own for each language, from its cosines with texts that say nothing about it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.embedding.minilm import MiniLM
from citemark.model.ids import EmbeddingSetId
from citemark.model.vectors import References
from citemark.retrieval.calibration import REFERENCE, CosineWeights, Values, chance_of
from citemark.retrieval.retrievers import DenseQuestion
from citemark.retrieval.scale import QuestionScale

QUESTION = [1.0, 0.0]
CLOSE, FAR = (0.80, 0.82, 0.84), (0.71, 0.75, 0.79)
"""Cosines of the question with the references in its own language and in another."""

TWO = {"german": CLOSE, "english": FAR}
LANGUAGES = st.sampled_from(["german", "english", "finnish"])


def references(cosines: Mapping[str, Sequence[float]], apart: float = 0.06) -> References:
    """Unit vectors that have these cosines with the question."""
    vectors = [[[each, np.sqrt(1 - each**2)] for each in values] for values in cosines.values()]
    return References(tuple(cosines), np.array(vectors, np.float32).tobytes(), apart)


def worth(scale: QuestionScale, cosine: float, language: str) -> float:
    """What one cosine of the question is worth."""
    return float(scale.of(np.array([[cosine]]), np.array([language]))[0, 0])


def spread(cosines: Sequence[float], deviations: float) -> float:
    """The cosine that lies so many standard deviations above the mean of these."""
    return float(np.mean(cosines) + deviations * np.std(cosines))


@given(st.floats(-2, 5))
def test_a_passage_counts_the_same_in_each_language_if_it_is_as_far_above_chance(deviations: float) -> None:
    scale = QuestionScale([QUESTION], references(TWO))
    one, other = (worth(scale, spread(each, deviations), language) for language, each in TWO.items())
    assert one == pytest.approx(other, abs=1e-4)


def test_chance_itself_lies_where_random_pairs_of_the_bundled_model_do() -> None:
    scale = QuestionScale([QUESTION], references(TWO))
    assert worth(scale, spread(CLOSE, 0), "german") == pytest.approx(REFERENCE[1], abs=1e-4)
    assert worth(scale, spread(CLOSE, 1.2816), "german") == pytest.approx(REFERENCE[2], abs=1e-4)


def test_a_language_without_references_counts_as_that_of_the_question() -> None:
    farther = {"french": (0.73, 0.75, 0.77), "spanish": (0.72, 0.75, 0.78)}
    scale = QuestionScale([QUESTION], references(TWO | farther, apart=0.07))
    assert worth(scale, 0.82, "finnish") == pytest.approx(REFERENCE[1], abs=1e-4)
    assert worth(scale, 0.82, "simple") == worth(scale, 0.82, "finnish") < worth(scale, 0.82, "english")


def test_each_phrasing_has_its_own_scale_and_what_has_no_vector_keeps_none() -> None:
    turned = [0.6, 0.8]
    scale = QuestionScale([QUESTION, turned], references(TWO))
    found = scale.of(np.array([[0.82, np.nan], [0.82, np.nan]]), np.array(["german", "german"]))
    assert found[0, 0] == pytest.approx(worth(QuestionScale([QUESTION], references(TWO)), 0.82, "german"))
    assert found[0, 0] != pytest.approx(found[1, 0])
    assert np.isnan(found[:, 1]).all()


@given(st.lists(st.tuples(st.floats(-1, 1), LANGUAGES), min_size=1, max_size=5))
def test_no_passage_is_worth_more_than_the_highest_that_its_cosine_can_be(passages: list[tuple[float, str]]) -> None:
    scale = QuestionScale([QUESTION], references(TWO))
    cosines: Values = np.array([[cosine for cosine, _ in passages]])
    found = scale.of(cosines, np.array([language for _, language in passages]))
    for configurations in ({"german", "english", "finnish"}, {"simple"}):
        assert (found <= scale.highest(cosines, configurations)).all()
    only_german = scale.highest(cosines, {"german"})
    assert (scale.of(cosines, np.full(len(passages), "german")) <= only_german).all()
    assert (only_german <= scale.highest(cosines, {"simple"})).all()


def test_a_model_without_references_keeps_its_cosines_and_the_languages_that_it_reads() -> None:
    calibration = MiniLM().calibration
    question = DenseQuestion(EmbeddingSetId(1), [QUESTION], calibration, CosineWeights(("en",)))
    assert calibration.references is None
    assert question.scale is None
    assert question.own_languages == ("english",)


def test_with_references_the_languages_are_told_apart_and_chance_is_that_of_the_scale() -> None:
    calibration = replace(MiniLM().calibration, references=references(TWO))
    question = DenseQuestion(EmbeddingSetId(1), [QUESTION], calibration, CosineWeights(("en",)))
    assert question.scale is not None
    assert question.own_languages == ()
    assert chance_of((0.8, 0.82, 0.85, 0.88), calibration) == REFERENCE[-1]
    assert chance_of((), calibration) == REFERENCE[-1]
