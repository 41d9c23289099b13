"""The tools that connectors of hosts look for."""
