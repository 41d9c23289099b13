"""From a question to ranked passages: one pipeline for every entry point."""
