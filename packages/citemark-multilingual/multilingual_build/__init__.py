"""Turns the pinned upstream wheel into the files of the package, at build time only."""
