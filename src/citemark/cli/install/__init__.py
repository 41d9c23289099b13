"""Adds and removes Citemark's entry in the configuration of AI hosts."""
