"""Sign-in to an MCP server: OAuth, the redirect address, and the stored tokens."""
