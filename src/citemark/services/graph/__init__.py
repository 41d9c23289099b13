"""What is asked of the graph: neighbours, containment, entities, paths, and what there is of it."""
