"""Texts are divided into the pieces of a Unigram model as the `tokenizers` library divides them."""

import json
import unicodedata
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.small_multilingual import CHARACTERS, CONTROL, pieces
from tokenizers import Tokenizer

from citemark.embedding.model_files import DamagedModel, ShippedFile
from citemark.embedding.unigram import Unigram

START, END, UNKNOWN = 0, 2, 3
VOCABULARY = {**pieces(), "\u2581東京": -5.0, "東": -8.0, "京": -8.0, "\u00e9": -7.0, "\u2581ab": -6.0, "bc": -5.5}


def shipped(path: Path, **changes: Any) -> ShippedFile:
    content = {
        "type": "Unigram",
        "start": START,
        "end": END,
        "unknown": UNKNOWN,
        "characters": CHARACTERS,
        "pieces": list(VOCABULARY),
        "scores": list(VOCABULARY.values()),
        **changes,
    }
    data = json.dumps(content).encode()
    path.write_bytes(data)
    return ShippedFile(path, len(data), sha256(data).hexdigest())


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Unigram:
    return Unigram(shipped(tmp_path_factory.mktemp("unigram") / "tokenizer.json"))


@pytest.fixture(scope="module")
def theirs() -> Tokenizer:
    # A control piece is named as no text can be: theirs would read it from the text.
    vocabulary = [[f"\0{piece}" if piece in CONTROL else piece, score] for piece, score in VOCABULARY.items()]
    replaced = [{"type": "Replace", "pattern": {"String": old}, "content": new} for old, new in CHARACTERS.items()]
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    ends = {"type": "Strip", "strip_left": True, "strip_right": True}
    described: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [*replaced, {"type": "NFKC"}, spaces, ends]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": UNKNOWN, "vocab": vocabulary, "byte_fallback": False},
    }
    return Tokenizer.from_str(json.dumps(described))


def ids_of(tokenizer: Unigram, text: str, most: int = 10_000) -> list[int]:
    (row,) = tokenizer.batch([text], most)
    return row


letters = st.text(st.sampled_from("aäbcdet hiru\u0308\u0301\n<s>/東京é?\u00a0\ufb01\x07"), max_size=60)


@pytest.mark.requirement("multilingual-package")
@given(text=letters)
@example(text="wer baut the boiler?  Fu\u0308r <s> 東京東 xyz\n")
@example(text="ab" * 30 + " " + "bc" * 30)
def test_every_text_has_the_ids_of_the_library(ours: Unigram, theirs: Tokenizer, text: str) -> None:
    # Only what the table names becomes its compatible form here; the library does it for every character.
    text = unicodedata.normalize("NFKC", text)
    assert ids_of(ours, text) == [START, *theirs.encode(text, add_special_tokens=False).ids, END]


def test_a_character_becomes_what_the_table_says_and_marks_join_their_letters(ours: Unigram) -> None:
    assert ids_of(ours, "\ufb01\x07n\u00a0e\u0301") == ids_of(ours, "fin \u00e9")
    assert ids_of(ours, "u\u0308ber") == ids_of(ours, "\u00fcber")


def test_the_name_of_a_control_piece_is_read_as_text(ours: Unigram) -> None:
    inner = ids_of(ours, "</s> <pad>")[1:-1]
    assert START not in inner
    assert END not in inner
    assert 1 not in inner


def test_unknown_characters_in_a_row_are_one_piece(ours: Unigram) -> None:
    assert ids_of(ours, "\u0391\u0392\u0393").count(UNKNOWN) == 1


def test_a_text_is_cut_to_its_first_pieces_however_long_its_words_are(ours: Unigram) -> None:
    whole = ids_of(ours, "the boiler " * 50)
    assert ids_of(ours, "the boiler " * 50, 12) == [*whole[:11], END]
    assert len(ids_of(ours, "abc" * 100_000, 12)) == 12


def test_what_was_let_go_is_read_again_with_the_same_result(tmp_path: Path) -> None:
    tokenizer = Unigram(shipped(tmp_path / "tokenizer.json"))
    before = ids_of(tokenizer, "wer baut the boiler")
    tokenizer.let_go()
    assert ids_of(tokenizer, "wer baut the boiler") == before


@pytest.mark.parametrize("changes", [{"type": "WordPiece"}, {"scores": None}], ids=["another kind", "no scores"])
def test_a_file_for_another_kind_of_model_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(DamagedModel):
        ids_of(Unigram(shipped(tmp_path / "tokenizer.json", **changes)), "text")


def test_a_file_with_other_bytes_is_refused(tmp_path: Path) -> None:
    file = shipped(tmp_path / "tokenizer.json")
    file.path.write_bytes(file.path.read_bytes().replace(b"boiler", b"bottle"))
    with pytest.raises(DamagedModel, match="SHA-256"):
        ids_of(Unigram(file), "text")
