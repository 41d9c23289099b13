"""The MCP interface: parse arguments, call services, shape results."""
