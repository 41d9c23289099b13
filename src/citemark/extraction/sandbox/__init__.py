"""Processes with few rights and hard limits, which read untrusted files."""
