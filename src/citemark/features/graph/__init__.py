"""All of the graph: what is related to what, over everything that is indexed."""
