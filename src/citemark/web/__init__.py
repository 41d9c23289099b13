"""Pages for a browser: a face over the services, beside the command line and MCP."""
