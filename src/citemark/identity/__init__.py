"""Callers over HTTP: the verified claims of tokens from authorization servers."""
