"""What is related to what."""
