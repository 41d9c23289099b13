"""The commands about accounts."""
