"""Opposites in two texts."""

from citemark.text.opposites import has_opposite, opposed


def test_opposites_oppose_each_other_only_where_each_text_has_one_of_them() -> None:
    assert opposed("It is enabled.", "It is disabled.")
    assert not opposed("It is enabled.", "It is enabled.")
    assert not opposed("It is enabled or disabled.", "It is disabled.")
    assert not opposed("It is enabled.", "It is private.")
    assert opposed("Always public.", "Never public.")


def test_a_word_has_an_opposite_only_as_a_whole() -> None:
    assert has_opposite("disabled")
    assert has_opposite("aktiviert")
    assert not has_opposite("republic")
