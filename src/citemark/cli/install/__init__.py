"""Entries in the configuration of AI hosts."""
