import pytest

from citemark.text.marks import CHECKED, EMPTY, box_of


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        (' type="checkbox" checked', CHECKED),
        (" type=checkbox checked=checked", CHECKED),
        (" type='checkbox'", EMPTY),
        (" type='checkbox' checked={false}", EMPTY),
        (" type='checkbox' data-checked='1'", EMPTY),
    ],
)
def test_a_box_is_checked_if_its_tag_says_so(attributes: str, shown: str) -> None:
    assert box_of(attributes) == shown
