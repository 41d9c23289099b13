"""The use cases of architecture models: elements by meaning, context for a question, what a model states."""
