"""Questions whose answers are known, asked of the product; what came back, as figures."""
