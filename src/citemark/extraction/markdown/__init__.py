"""Markdown and MDX, the notation that every other format is written in."""
