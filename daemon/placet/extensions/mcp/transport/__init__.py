"""Transports to an MCP server: a process, or an address by streamable HTTP or SSE."""
