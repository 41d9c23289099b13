"""The use cases of the graph: neighbours, containment, entities, paths, and an overview."""
