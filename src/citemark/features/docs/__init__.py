"""Folders of documents."""
