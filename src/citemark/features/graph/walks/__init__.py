"""Walking along the edges of the graph: what is around a node, and paths between two."""
