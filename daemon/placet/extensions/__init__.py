"""What users and projects add: tools of their own, plugins, MCP servers, commands."""
