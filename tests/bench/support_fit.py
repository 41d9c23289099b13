"""Fits the weights of `answering/support.py`: `python -m tests.bench.support_fit` prints them and what they reach.

Fitted on the odd golden answers and the first, third, ... of the sentences in tests/data/sentences; reported on both
halves. A logistic regression with a slight pull to zero, whose weights may not be positive.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import yaml
from tests.bench.locations import GOLDEN
from tests.unit.answering.papers import document

from citemark.answering.answer_sentences import parts_of
from citemark.answering.checking import blanked
from citemark.answering.citations import mentions
from citemark.answering.claims import Known, shown_texts
from citemark.answering.support import SupportClassifier, SupportFeatures
from citemark.evaluation.answers_checked import load_answers

_SENTENCES = Path(__file__).resolve().parents[1] / "data" / "sentences" / "sentences.yaml"
_ROUNDS = 20_000
_RATE = 0.5
_PULL = 0.05

Numbers = npt.NDArray[np.float64]


@dataclass
class Half:
    """The features of sentences, and for each whether the documents support it."""

    features: list[tuple[float, ...]] = field(default_factory=list[tuple[float, ...]])
    supported: list[bool] = field(default_factory=list[bool])

    def add(self, seen: SupportFeatures, *, supported: bool) -> None:
        """Take one sentence."""
        self.features.append(seen.values())
        self.supported.append(supported)


def golden_answers() -> Iterator[tuple[bool, SupportFeatures, bool]]:
    """(belongs to the fit, features, supported) of each sentence of the golden answers that cites a document."""
    counts: dict[str, int] = {}
    for case in load_answers(GOLDEN / "citations-dev.yaml"):
        counts[case.kind] = counts.get(case.kind, 0) + 1
        found = mentions(case.answer)
        bare = blanked(case.answer, found)
        classifier = SupportClassifier(case.sources)
        given = {source.number for source in case.sources}
        known = Known(shown_texts(case.sources))
        for at, part in enumerate(parts_of(case.answer, found, known)):
            cited = tuple(number for number in part.numbers if number in given)
            if cited and part.claims:
                seen = classifier.observe(part.span.of(bare), cited)
                yield counts[case.kind] % 2 == 1, seen, at not in case.expect.unsupported_sentences


def sentences() -> Iterator[tuple[bool, SupportFeatures, bool]]:
    """The same of the hand-written sentences."""
    for source in yaml.safe_load(_SENTENCES.read_text("utf-8")):
        classifier = SupportClassifier([document(1, source["text"])])
        for at, row in enumerate(source["sentences"]):
            if row["says"] in {"supported", "wrong"}:
                yield at % 2 == 0, classifier.observe(row["said"], (1,)), row["says"] == "supported"


def fitted(half: Half) -> tuple[Numbers, float]:
    """The weights and the bias."""
    features, wanted = np.array(half.features), np.array(half.supported, np.float64)
    weights, bias = np.zeros(features.shape[1]), 0.0
    for _ in range(_ROUNDS):
        errors = 1 / (1 + np.exp(-(features @ weights + bias))) - wanted
        weights = np.minimum(weights - _RATE * (features.T @ errors + _PULL * weights) / len(wanted), 0)
        bias -= _RATE * float(errors.mean())
    return weights, bias


def main() -> None:
    """Fit and report."""
    sets = {"golden answers": list(golden_answers()), "sentences": list(sentences())}
    half = Half()
    for own, seen, supported in (row for rows in sets.values() for row in rows):
        if own:
            half.add(seen, supported=supported)
    weights, bias = fitted(half)
    print("weights", np.round(weights, 2).tolist(), "bias", round(bias, 2))  # noqa: T201 - a report for the terminal
    for name, rows in sets.items():
        for own in (True, False):
            marked = [(weights @ np.array(seen.values()) + bias < 0, good) for mine, seen, good in rows if mine is own]
            hits = sum(wrong and not good for wrong, good in marked)
            precision = hits / max(1, sum(wrong for wrong, _ in marked))
            recall = hits / max(1, sum(not good for _, good in marked))
            print(name, "fit" if own else "apart", f"precision {precision:.3f}, recall {recall:.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
