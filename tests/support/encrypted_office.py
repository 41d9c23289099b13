"""The container that office programs put a password-protected document into, and those before 2007 any document."""

_HEADER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def compound(stream: str) -> bytes:
    """A compound file whose directory names one stream."""
    entry = stream.encode("utf-16-le").ljust(64, b"\x00") + bytes([len(stream) * 2 + 2, 0, 2, 1]) + bytes(60)
    return _HEADER + bytes(504) + "Root Entry".encode("utf-16-le").ljust(128, b"\x00") + entry + bytes(256)
