"""The commands about the graph."""
