"""What the database keeps of the graph: its nodes and edges, and the names that texts are searched for."""
