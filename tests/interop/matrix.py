"""The clients that are tried, and where each gets its environment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Foreign:
    """One client. `environment` is a requirements file of ours, None for the project's own environment.

    `lends_model`: its model can be asked for an answer; a server without sessions cannot ask in the older protocol.
    """

    name: str
    script: str
    environment: str | None
    arguments: tuple[str, ...] = ()
    lends_model: bool = False

    @property
    def is_node(self) -> bool:
        """Whether Node runs it."""
        return self.script.endswith(".mjs")


CLIENTS = (
    Foreign("MCP SDK for Python 2", "mcp_2_client.py", None, ("auto",), lends_model=True),
    Foreign("MCP SDK for Python 2, handshake", "mcp_2_client.py", None, ("legacy",)),
    Foreign("MCP SDK for Python 1", "mcp_1_client.py", "mcp-1"),
    Foreign(
        "MCP SDK for TypeScript 2", "typescript_2.mjs", "@modelcontextprotocol/client", ("auto",), lends_model=True
    ),
    Foreign("MCP SDK for TypeScript 2, handshake", "typescript_2.mjs", "@modelcontextprotocol/client", ("legacy",)),
    Foreign("MCP SDK for TypeScript 1", "typescript_1.mjs", "@modelcontextprotocol/sdk"),
    Foreign("fastmcp", "fastmcp_client.py", "fastmcp", lends_model=True),
    Foreign("pydantic-ai", "pydantic_ai_client.py", "pydantic-ai", lends_model=True),
    Foreign("langchain-mcp-adapters", "langchain_client.py", "langchain"),
)
