"""Text for scale data: the words of the test collections, in their own distribution.

Random words would not do: the cost of BM25 depends on how often words repeat (design page on retrieval).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.bench.locations import COLLECTIONS, SHARED

SEED = 20_250_101
CHUNKS_PER_PAGE = 12
_WINDOW = 40
_FROM_WINDOW = 0.8
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")


@dataclass(frozen=True, slots=True)
class ScaleSection:
    """A heading and the one chunk of text below it."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class ScalePage:
    """A page of scale data; `path` is its native id."""

    path: str
    title: str
    sections: tuple[ScaleSection, ...]

    @property
    def body(self) -> str:
        """The page as Markdown."""
        parts = [f"# {self.title}\n"]
        parts += [f"## {section.heading}\n\n{section.text}\n" for section in self.sections]
        return "\n".join(parts)


def documents() -> list[str]:
    """Title and text of every document of the three collections."""
    found: list[str] = []
    for name in COLLECTIONS:
        for line in (SHARED / "ir" / name / "corpus.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            found.append(" ".join(f"{row.get('title') or ''}. {row.get('text') or ''}".split()))
    return found


def questions() -> list[str]:
    """Every question of the three collections, shuffled once."""
    found = [
        str(json.loads(line)["text"])
        for name in COLLECTIONS
        for line in (SHARED / "ir" / name / "queries.jsonl").read_text("utf-8").splitlines()
    ]
    Random(SEED).shuffle(found)
    return found


def pages(chunks: int) -> Iterator[ScalePage]:
    """Pages that hold exactly `chunks` chunks; a smaller set is the beginning of a larger one."""
    sentences = _sentences()
    random = Random(SEED)
    made = 0
    number = 0
    while made < chunks:
        sections = tuple(_section(sentences, random) for _ in range(CHUNKS_PER_PAGE))[: chunks - made]
        made += len(sections)
        title = _few_words(random.choice(sentences))
        yield ScalePage(f"part-{number // 500:03}/page-{number:06}.md", title, sections)
        number += 1


def _section(sentences: list[str], random: Random) -> ScaleSection:
    start = random.randrange(len(sentences) - _WINDOW)
    drawn = [
        sentences[start + random.randrange(_WINDOW)] if random.random() < _FROM_WINDOW else random.choice(sentences)
        for _ in range(random.randint(3, 7))
    ]
    return ScaleSection(_few_words(drawn[0]), " ".join(drawn))


def _few_words(sentence: str) -> str:
    return " ".join(re.findall(r"[A-Za-z]{3,}", sentence)[:5]) or "Notes"


def _sentences() -> list[str]:
    return [
        sentence
        for text in documents()
        for sentence in _SENTENCE.split(text)
        if 20 < len(sentence) < 400 and not sentence.startswith(("#", "-", "|", "`"))
    ]
