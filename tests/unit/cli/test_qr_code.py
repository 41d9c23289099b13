"""The QR code of a link in the terminal."""

import pytest
import segno

from citemark.cli.qr_code import qr_code


@pytest.mark.requirement("login-link-shown-as-qr-code")
def test_a_link_of_a_login_is_a_code_that_fits_a_terminal_and_differs_for_another_link() -> None:
    link = "https://cloud.example.org/index.php/login/v2/flow/" + "aB3" * 42
    lines = qr_code(link).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert qr_code(link) != qr_code(f"{link}x")
    assert qr_code(link) == qr_code(link)


LIGHT = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}
"""Which halves of a character are light: a scanner needs dark modules on a light border."""


@pytest.mark.requirement("login-link-shown-as-qr-code")
def test_what_is_drawn_is_the_code_of_the_link_with_its_light_border() -> None:
    link = "https://cloud.example.org/index.php/login/v2/flow/" + "aB3" * 42
    rows = [[LIGHT[letter][half] for letter in line] for line in qr_code(link).splitlines() for half in (0, 1)]
    wanted = [[int(not dark) for dark in row] for row in segno.make_qr(link, error="L").matrix_iter(border=2)]
    assert rows[: len(wanted)] == wanted
