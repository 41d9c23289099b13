"""The MCP surface: parse, call, shape."""
