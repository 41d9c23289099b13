"""Servers that stay: what runs on an index, how it is stopped, and how the system starts it."""
