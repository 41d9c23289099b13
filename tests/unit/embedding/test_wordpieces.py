"""The remembered split must be the split of the Rust tokenizer, in places of the original text."""

import subprocess
import sys

import citemark_minilm
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from citemark.embedding import minilm as embedder
from citemark.embedding.contract import CharRanges
from citemark.embedding.minilm import MiniLM, WordPieces, padded


@pytest.fixture(scope="module")
def original() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(citemark_minilm.files().tokenizer))
    tokenizer.encode_special_tokens = True
    return tokenizer


MARKS = st.sampled_from(
    ["\u0301", "\u0308", "\u200d", "\u00a0", "\u3000", "\ufeff", "\x00", "\x0b", "\x7f", "\ufb01", "\u0130"]
)
WORDS = st.sampled_from(["Wärme", "pumps", "don't", "\n", " ", "x" * 130, "東京", "한국", "👩🏽‍🚀", "[SEP]", "##ing"])
PROSE = st.lists(st.one_of(st.text(max_size=12), MARKS, WORDS))


@given(parts=PROSE)
@example(parts=["e", "\u0301", "!", "\u0301", "a"])
@example(parts=["ab\x00cd", "\u00a0", "\u03a3\u0391\u03a3"])
@example(parts=["[CLS]", " ", "[MASK]"])
def test_offsets_are_those_of_the_whole_text(minilm: MiniLM, original: Tokenizer, parts: list[str]) -> None:
    text = "".join(parts)
    expected = original.encode(text, add_special_tokens=False).offsets
    assert minilm.tokenizer.offsets([text, text]) == [expected, expected]


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
        patch.setattr(embedder, "_LONG", 3)
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
    pieces = WordPieces(original, most_remembered=3)
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
