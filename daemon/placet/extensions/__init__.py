"""Extensions from users and projects: their own tools, plugins, MCP servers, commands."""
