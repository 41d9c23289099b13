"""Reads and writes the index in PostgreSQL. No other package contains SQL."""
