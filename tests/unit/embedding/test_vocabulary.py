"""What is made of a word of any characters, and which files of a tokenizer are understood."""

import json
import unicodedata
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import citemark_minilm
import pytest
from tokenizers import Tokenizer

from citemark.embedding.model_files import DamagedModel, ShippedFile
from citemark.embedding.vocabulary import Vocabulary

_TOKENIZER = citemark_minilm.files().tokenizer
_WITH_LETTERS = range(0x20000)
_REST = (*range(0x20000, 0x110000, 61), *range(0x2F800, 0x2FA20), *range(0xE0000, 0xE01F0))
"""Beyond the first two planes: Chinese characters, tags and variants, and nothing that is assigned."""

_AT_ONCE = 4_096


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    content = _TOKENIZER.read_bytes()
    return Vocabulary.load(ShippedFile(_TOKENIZER, len(content), sha256(content).hexdigest()))


@pytest.fixture(scope="module")
def original() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(_TOKENIZER))
    tokenizer.encode_special_tokens = True
    return tokenizer


def test_every_character_gives_the_pieces_of_the_original_tokenizer(
    vocabulary: Vocabulary, original: Tokenizer
) -> None:
    characters = [chr(code) for code in chain(_WITH_LETTERS, _REST) if not 0xD800 <= code < 0xE000]
    for first in range(0, len(characters), _AT_ONCE):
        text = " ".join(f"{each} a{each}b" for each in characters[first : first + _AT_ONCE])
        expected = original.encode(text, add_special_tokens=False)
        assert vocabulary.divided(text) == (tuple(expected.ids), tuple(expected.offsets)), hex(ord(characters[first]))


def test_marks_beside_every_mark_are_where_the_original_tokenizer_has_them(
    vocabulary: Vocabulary, original: Tokenizer
) -> None:
    marks = [mark for mark in map(chr, _WITH_LETTERS) if _has_mark(mark)]
    assert len(marks) > 3_000
    for around in ("é{0}\u0334\u0301", "a\u0301{0}\u200d\u302e\u0323"):
        text = " ".join(map(around.format, marks))
        expected = original.encode(text, add_special_tokens=False)
        assert vocabulary.divided(text) == (tuple(expected.ids), tuple(expected.offsets))


def _has_mark(character: str) -> bool:
    return any(unicodedata.category(part).startswith("M") for part in unicodedata.normalize("NFD", character))


def test_no_character_that_a_newer_python_may_know_better_has_pieces_of_its_own(vocabulary: Vocabulary) -> None:
    newer = (each for each in map(chr, chain(_WITH_LETTERS, _REST)) if unicodedata.category(each) == "Cn")
    ids = {vocabulary.divided(character)[0] for character in newer}
    assert ids == {(vocabulary.control.unknown,)}


@pytest.mark.parametrize(
    "changed",
    [
        {"normalizer": {"type": "BertNormalizer", "lowercase": False}},
        {"pre_tokenizer": None},
        {"model": {"type": "BPE", "vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2}}},
        {"model": {}},
        {"model": None},
    ],
)
def test_the_file_of_another_kind_of_tokenizer_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**json.loads(_TOKENIZER.read_bytes()), **changed}))
    content = path.read_bytes()
    with pytest.raises(DamagedModel):
        Vocabulary.load(ShippedFile(path, len(content), sha256(content).hexdigest()))


def test_many_marks_out_of_order_are_one_unknown_word(vocabulary: Vocabulary) -> None:
    ids, places = vocabulary.divided("a" + "\u302e" * 50_000 + "\u0334" * 50_000)
    assert (ids, places) == ((vocabulary.control.unknown,), ((0, 100_001),))
