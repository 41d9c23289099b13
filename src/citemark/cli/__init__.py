"""The command line: parses, calls a service, prints."""
