"""Extracts text with spans from bytes; shared by every source."""
