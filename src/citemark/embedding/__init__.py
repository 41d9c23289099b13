"""Turns text into vectors, behind one Protocol."""
