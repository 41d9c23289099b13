"""The results about the graph."""
