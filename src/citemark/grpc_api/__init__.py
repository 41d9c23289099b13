"""The gRPC query services: the use cases of the MCP tools for programs, behind the same gate."""
