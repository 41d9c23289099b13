"""Processes with few rights and hard limits, in which files from strangers are read."""
