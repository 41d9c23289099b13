"""The values that every package speaks: frozen, without I/O or third-party types."""
