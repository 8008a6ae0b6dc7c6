"""Services that all sessions of a front end share: config, extensions, MCP servers, sign-in."""
