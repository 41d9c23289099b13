"""One graph over everything that is indexed: walking along its edges, and the names that texts mention."""
