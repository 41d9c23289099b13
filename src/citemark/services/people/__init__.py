"""The people whom a server answers over HTTP: their tokens, their limits, and the sources granted to them."""
