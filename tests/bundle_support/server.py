"""MCP server of the bundle `helper`: one tool, which says where the server runs."""

import os
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("notes")


@server.tool()
def where() -> str:
    """Say where the bundle lies and whether the data can be written."""
    (Path(os.environ["CLAUDE_PLUGIN_DATA"]) / "from-server").touch()
    return f"{Path(os.environ['CLAUDE_PLUGIN_ROOT']).parent.name} for {Path(os.environ['CLAUDE_PROJECT_DIR']).name}"


server.run("stdio")
