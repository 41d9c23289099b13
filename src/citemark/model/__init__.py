"""The vocabulary of the house: frozen values, no I/O, no third-party types."""
