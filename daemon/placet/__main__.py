"""Start the command that the user chose.

Imports stand inside the commands: `placet --stdio` must answer `initialize` before the rest is loaded.
"""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False  # typing's own takes as long to import as all that a pipe to a shared daemon needs.
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from placet.core.ports import Ports
    from placet.frontends.lsp.initialize import EditorSettings
    from placet.frontends.lsp.shared.daemon import Way
    from placet.sessions.registry import Sessions
    from placet.settings import Settings


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["--stdio"]:
        return serve_stdio()
    if arguments[:1] == ["--acp"]:
        return serve_acp(arguments[1:])
    if arguments == ["--login"]:  # Some clients replace the arguments of the command instead of adding an argument.
        return log_in()
    from placet.frontends.terminal.output import guarded_streams, hush

    with guarded_streams():
        try:
            code = _run_command(arguments)
            sys.stdout.flush()  # A reader that has gone is noticed here, and not by Python at the very end.
        except BrokenPipeError:
            hush()
            return 141  # As a shell reports a program that was ended by SIGPIPE.
        return code


def _run_command(arguments: list[str]) -> int:
    from placet.command_line.parser import parser
    from placet.command_line.registry import command_modules, load_command
    from placet.core import pydantic_plugins

    if not arguments and sys.stdin.isatty() and sys.stdout.isatty():
        arguments = ["chat"]
    options = parser(arguments[0] if arguments else None).parse_args(arguments)
    if options.listen is not None:
        return listen(None if options.listen == "usual" else options.listen)
    if options.command is None:
        parser().print_help()
        return 0 if not arguments else 2
    # Imports make objects that stay: collecting every 700 objects frees nothing, and takes a tenth of the start.
    gc.set_threshold(50_000)
    pydantic_plugins.leave_out()
    _leave_out_programs_of_projects()
    return load_command(command_modules()[options.command]).run(options)


def _leave_out_programs_of_projects() -> None:
    """Run no program from a directory that a sandbox has ever opened to commands, in whatever folder this one runs."""
    from placet.core.errors import SettingsError
    from placet.project.processes.open_directories import noted
    from placet.project.processes.programs import keep_programs_from
    from placet.settings import default_locations

    try:
        locations = default_locations()
    except SettingsError:  # Without a home there is no list; the command itself says what is missing.
        return
    keep_programs_from((*locations.of_commands, *noted(locations.open_directories)))


def serve_stdio() -> int:
    """Serve as a language server on stdin and stdout until the editor goes.

    With `daemon.shared`, serve as the pipe to a shared daemon.
    """
    from placet.frontends.lsp.shared import proxy

    if (code := proxy.serve()) is not None:
        return code
    from placet.frontends.lsp.handshake import shake_hands

    if (handshake := shake_hands()) is None:
        return 1
    from placet.frontends.lsp import server

    return server.serve(_open_sessions, handshake)


def serve_acp(arguments: list[str]) -> int:
    """Serve the Agent Client Protocol on stdin and stdout until the client goes; `arguments` follow `--acp`."""
    if "--login" in arguments:
        return log_in()
    options = None
    if arguments:  # A mistake in the arguments is told before anything is served.
        from placet.frontends.acp.options import read_options

        options = read_options(arguments)
    from placet.frontends.acp.handshake import shake_hands

    if (handshake := shake_hands()) is None:
        return 0
    from placet.core import pydantic_plugins

    pydantic_plugins.leave_out()
    from placet.frontends.acp import server

    return server.serve(handshake, options)


def log_in() -> int:
    """Store a key, asked for in a terminal that a client of the Agent Client Protocol has opened."""
    from placet.frontends.terminal import auth
    from placet.frontends.terminal.output import guarded_streams

    with guarded_streams():
        return auth.log_in()


def listen(way: Way | None) -> int:
    """Serve as the daemon that several editors share, until the daemon has been idle for long enough."""
    from placet.frontends.lsp.shared import daemon

    return daemon.serve(_open_sessions, way)


async def _open_sessions(
    ports: Callable[[Settings], Ports], roots: tuple[Path, ...], editor_settings: EditorSettings, is_trusted: bool
) -> Sessions:
    """Open the core for an editor. Raises SettingsError and StoreError."""
    from placet.core.executor import in_thread
    from placet.sessions.bootstrap import open_sessions
    from placet.sessions.services.config import ConfigLoader, EditorTrust
    from placet.settings import default_locations

    locations = default_locations()
    loader = ConfigLoader(
        locations,
        roots,
        editor=editor_settings.user,
        workspace=editor_settings.workspace,
        editor_trust=EditorTrust(is_trusted),
    )
    config = await in_thread(loader.read)
    return await open_sessions(ports(config.settings), roots, config, locations, loader=loader)


if __name__ == "__main__":
    sys.exit(main())
