"""The command line: parses arguments, calls a service, prints the result."""
