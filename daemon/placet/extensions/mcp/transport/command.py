"""Command of a server that is a process. The module loads no SDK: a server without a program costs no start."""

import os
from pathlib import Path

from placet.extensions.mcp.errors import Gone
from placet.project.paths import is_directory, with_home
from placet.project.processes.child import Command
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_configured, find_for_commands
from placet.settings import McpServerSettings


def command_of(name: str, settings: McpServerSettings, root: Path) -> Command:
    """Return the command for the server. Raises Gone if the program or the directory is missing. Looks at the disk."""
    written = (settings.command,) if isinstance(settings.command, str) else settings.command
    program, *arguments = written
    environment = {**without_secrets(os.environ), **settings.env}
    directory = root / with_home(settings.cwd) if settings.cwd else root
    if not is_directory(directory):
        raise Gone(f"The MCP server {name} cannot be started: there is no folder {directory}. See mcp.{name}.cwd.")
    # A path starts in the server's own folder; a mere name does not, or a project could bring its own of that name.
    # On Windows either is found with its suffix (`npx.cmd`).
    path, is_contained = environment.get("PATH"), bool(settings.sandbox)
    executable = find_configured(program, directory, path, is_contained=is_contained)
    if not executable:
        raise Gone(
            f"The MCP server {name} cannot be started: there is no program {program}{_left_out(program)}. Install it, "
            f"or mend mcp.{name}.command, where arguments stand apart from the program."
        )
    return Command((executable, *arguments, *settings.args), directory, environment)


def _left_out(program: str) -> str:
    """Return a clause about a program of the name that is left out, or "". Looks at the disk."""
    found = find_for_commands(program)
    return "" if found is None else f" outside of the sandbox, as commands can write {found}"
