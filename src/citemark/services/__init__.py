"""The use cases: what the tools, the command line and the evaluation call, with a caller and a read context."""
