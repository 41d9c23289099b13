"""A stdio server that passes messages on to the HTTP server of the same index; it loads the standard library alone."""
