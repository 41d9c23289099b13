"""The QR code of a link in the terminal."""

import pytest

from citemark.cli.qr_code import qr_code


@pytest.mark.requirement("login-link-shown-as-qr-code")
def test_a_link_of_a_login_is_a_code_that_fits_a_terminal_and_differs_for_another_link() -> None:
    link = "https://cloud.example.org/index.php/login/v2/flow/" + "aB3" * 42
    lines = qr_code(link).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert qr_code(link) != qr_code(f"{link}x")
    assert qr_code(link) == qr_code(link)
