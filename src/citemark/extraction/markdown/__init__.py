"""Markdown and MDX, the notation in which the text of every other format is written out."""
