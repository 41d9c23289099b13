"""Word pieces over all the texts of others that are at hand."""

from pathlib import Path

import citemark_minilm
from tokenizers import Tokenizer

from citemark.embedding.minilm import MiniLM


def test_every_text_of_the_corpora_has_the_ids_and_places_of_the_original_tokenizer(shared_data: Path) -> None:
    tokenizer, original = MiniLM().tokenizer, Tokenizer.from_file(str(citemark_minilm.files().tokenizer))
    original.encode_special_tokens = True
    read = 0
    for path in sorted(shared_data.rglob("*")):
        text = _text_of(path)
        expected = original.encode(text, add_special_tokens=False)
        (places,) = tokenizer.offsets([text])
        assert places == expected.offsets, path
        assert tokenizer.batch([text], len(expected.ids) + 2)[0][1:-1] == expected.ids, path
        read += bool(text)
    assert read > 100


_MOST_BYTES = 10_000
"""Of one text that is compared: the corpora repeat their words from there on."""


def _text_of(path: Path) -> str:
    """The first part of a text file, "" for any other."""
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        start = stream.read(_MOST_BYTES)
    try:
        return start.decode(errors="strict" if len(start) < _MOST_BYTES else "ignore")
    except UnicodeDecodeError:
        return ""
