"""Bytes to text with spans, shared by every source."""
