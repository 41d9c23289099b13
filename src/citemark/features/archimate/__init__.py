"""Architecture models."""
