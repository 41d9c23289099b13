"""Names that texts mention: which count, where they occur, and the edges that they become."""
