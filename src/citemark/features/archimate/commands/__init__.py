"""Commands of architecture models."""
