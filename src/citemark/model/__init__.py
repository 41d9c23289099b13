"""The value types that all packages share: frozen, with no I/O and no third-party types."""
