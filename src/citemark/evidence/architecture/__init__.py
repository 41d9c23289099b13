"""Questions about architecture models: by meaning, by words, and by what the model states."""
