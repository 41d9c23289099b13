"""A link as a QR code in the terminal, for a browser on another device."""

import io

import segno


def qr_code(link: str) -> str:
    """The lines of a QR code of a link, two rows of modules in each, with the border that scanners need."""
    out = io.StringIO()
    segno.make_qr(link, error="L").terminal(out=out, compact=True, border=2)
    return out.getvalue()
