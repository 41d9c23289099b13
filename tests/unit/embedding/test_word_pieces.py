"""The ids and places of word pieces must be those of the tokenizer that the model was trained with (`tokenizers`)."""

import subprocess
import sys
from typing import Any

import citemark_minilm
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from citemark.embedding import word_pieces
from citemark.embedding.contract import CharRanges
from citemark.embedding.local_model import padded
from citemark.embedding.minilm import MiniLM
from citemark.embedding.vocabulary import Vocabulary
from citemark.embedding.word_pieces import WordPieces


@pytest.fixture(scope="module")
def original() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(citemark_minilm.files().tokenizer))
    tokenizer.encode_special_tokens = True
    return tokenizer


MARKS = st.sampled_from(
    [
        "\u0301",
        "\u0308",
        "\u200d",
        "\u00a0",
        "\u3000",
        "\ufeff",
        "\x00",
        "\x0b",
        "\x7f",
        "\ufb01",
        "\u0130",
        "\u302e",
        "\u0323",
    ]
)
WORDS = st.sampled_from(["Wärme", "pumps", "don't", "\n", " ", "x" * 130, "東京", "한국", "👩🏽‍🚀", "[SEP]", "##ing"])
PROSE = st.lists(st.one_of(st.text(max_size=12), MARKS, WORDS))


@given(parts=PROSE)
@example(parts=["e", "\u0301", "!", "\u0301", "a"])
@example(parts=["ab\x00cd", "\u00a0", "\u03a3\u0391\u03a3"])
@example(parts=["[CLS]", " ", "[MASK]"])
@example(parts=["é\u302e", " \u302e\u200d\u0323b", "\U0001d15e\u0334\u0301"])
@example(parts=["x" * 100, " ", "é" * 101, "-" * 60])
@example(parts=["valve " * 300])
def test_ids_and_places_are_those_of_the_original_tokenizer(
    minilm: MiniLM, original: Tokenizer, parts: list[str]
) -> None:
    text = "".join(parts)
    expected = original.encode(text, add_special_tokens=False)
    assert minilm.tokenizer.offsets([text, text]) == [expected.offsets, expected.offsets]
    whole = [101, *expected.ids[:254], 102]
    assert minilm.tokenizer.batch([text, text], 256) == [whole, whole]


@given(first=PROSE, second=PROSE, room=st.integers(min_value=5, max_value=40))
@example(first=["one two three four"], second=["five six seven eight nine"], room=8)
@example(first=["one two three four five"], second=["six seven eight nine"], room=8)
def test_a_pair_is_cut_as_the_original_tokenizer_cuts_it(
    minilm: MiniLM, original: Tokenizer, first: list[str], second: list[str], room: int
) -> None:
    one, two = "".join(first), "".join(second)
    cut: Any = original  # the stub leaves the types of its options open
    cut.enable_truncation(room)
    try:
        expected = original.encode(one, two)
    finally:
        original.no_truncation()
    assert minilm.tokenizer.pair(one, two, room) == (expected.ids, expected.type_ids)


def test_half_of_a_surrogate_pair_is_left_out(minilm: MiniLM) -> None:
    assert minilm.tokenizer.offsets(["a\ud83db \ude00"]) == [[(0, 3)]]
    assert minilm.tokenizer.batch(["a\ud83db"], 8) == minilm.tokenizer.batch(["ab"], 8)


def test_the_places_of_a_long_text_are_those_of_its_parts(minilm: MiniLM) -> None:
    line = "Größe 🚀 valves, hydraulic couplings; " * 20 + "\n"
    text = line * 400 + "last" + "x" * 400_000 + " words"
    ((many,), (short,)) = (minilm.tokenizer.offsets([text]), minilm.tokenizer.offsets([line]))
    assert list(many[: len(short)]) == short
    for number in (1, 277, 399):
        found = many[number * len(short) : (number + 1) * len(short)]
        assert list(found) == [(start + number * len(line), end + number * len(line)) for start, end in short]
    assert [text[start:end][:5] for start, end in many[400 * len(short) :]] == ["lastx", "words"]
    assert list(many) == sorted(many)


@given(parts=PROSE)
@example(parts=["東", "\u0301", "京", "京", "a!!b", "--"])
def test_wherever_a_long_text_is_divided_its_places_are_those_of_the_whole(minilm: MiniLM, parts: list[str]) -> None:
    text = "".join(parts)
    (whole,) = minilm.tokenizer.offsets([text])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_pieces, "_LONG", 3)
        (divided,) = minilm.tokenizer.offsets([text])
    assert list(divided) == whole


@pytest.mark.parametrize(("sign", "count"), [("-", 300_000), ("\u6771", 300_000), (" a", 300_000)])
def test_a_long_text_without_lines_takes_little_memory(sign: str, count: int) -> None:
    spans, peak = weighed(sign, count)
    assert spans == count
    assert peak < 80 * spans  # as pairs of numbers they would take 140 bytes each


def weighed(sign: str, count: int) -> tuple[int, int]:
    """How many places a sign written so often has, and the bytes held at most to find them.

    They are counted in a program of its own: threads that other tests left behind would be counted too.
    """
    counted = subprocess.run(
        [sys.executable, "-c", _WEIGH, sign, str(count)], check=True, capture_output=True, text=True, encoding="utf-8"
    )
    spans, peak = counted.stdout.split()
    return int(spans), int(peak)


_WEIGH = """
import sys, tracemalloc
from citemark.embedding.minilm import MiniLM

tokenizer, text = MiniLM().tokenizer, sys.argv[1] * int(sys.argv[2])
tokenizer.offsets(["so that the tokenizer is loaded"])
tracemalloc.start()
(spans,) = tokenizer.offsets([text])
print(len(spans), tracemalloc.get_traced_memory()[1])
"""


@given(text=st.text(max_size=300))
def test_offsets_are_ascending_spans_of_the_text(minilm: MiniLM, text: str) -> None:
    (spans,) = minilm.tokenizer.offsets([text])
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


def test_offsets_count_characters_and_are_not_truncated(minilm: MiniLM) -> None:
    text = "Größe 🚀 valves; " * 200
    (spans,) = minilm.tokenizer.offsets([text])
    assert text[slice(*spans[-1])] == ";"
    assert len(spans) > minilm.identity.max_tokens
    assert "valves" in {text[start:end] for start, end in spans}


def test_texts_keep_their_order_and_an_empty_one_its_place(minilm: MiniLM) -> None:
    assert minilm.tokenizer.offsets(["one", "", "two words"]) == [[(0, 3)], [], [(0, 3), (4, 9)]]


def test_the_name_of_a_control_token_is_read_as_text(minilm: MiniLM) -> None:
    (row,) = minilm.tokenizer.batch(["a [SEP] b [PAD]"], 256)
    assert row.count(102) == 1
    assert 0 not in row


def test_a_full_cache_is_emptied_and_nothing_changes(original: Tokenizer) -> None:
    pieces = WordPieces(Vocabulary(original.get_vocab()), most_remembered=3)
    text = "hydraulic couplings withstand extraordinary temperatures, couplings withstand"
    expected = original.encode(text, add_special_tokens=False).offsets
    assert pieces.offsets([text] * 3) == [expected] * 3


def test_ranges_are_those_of_any_sequence_that_has_the_same() -> None:
    pairs = [(0, 3), (4, 14)]
    ranges = CharRanges.of(pairs)
    assert ranges == pairs
    assert ranges != [(0, 3)]
    assert ranges != "0"
    assert (ranges.longest, CharRanges().longest) == (10, 0)


def test_a_batch_is_cut_with_its_end_marker_in_place(minilm: MiniLM) -> None:
    long, short = minilm.tokenizer.batch(["valve " * 400, "valve"], 256)
    assert len(long) == 256
    assert (long[0], long[-1]) == (short[0], short[-1]) == (101, 102)
    assert len(short) == 3


def test_padding_is_masked_on_the_right() -> None:
    ids, mask = padded([[7, 8, 9], [7]])
    assert ids.tolist() == [[7, 8, 9], [7, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]
