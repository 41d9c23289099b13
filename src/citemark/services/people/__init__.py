"""People whom one server answers over HTTP: their tokens, and which sources they were granted."""
