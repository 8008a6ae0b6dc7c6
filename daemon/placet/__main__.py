"""Start the command that the user chose.

Imports stand inside the commands: `placet --stdio` must answer `initialize` before the rest is loaded.
"""

from __future__ import annotations

import gc
import sys

from placet.frontends import FRONT_ENDS


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    # Some clients replace the arguments of the command instead of adding an argument.
    if arguments == ["--login"] or (arguments[:1] == ["--acp"] and "--login" in arguments):
        return log_in()
    if arguments and arguments[0] in FRONT_ENDS:
        folder, _ = FRONT_ENDS[arguments[0]]
        # importlib would hide the import from `-X importtime`, by which tests see what a start loads.
        return __import__(f"placet.frontends.{folder}.start", fromlist=("main",)).main(arguments[1:])
    try:
        return _run_guarded(arguments)
    except KeyboardInterrupt:  # While the command is imported; a command that runs ends its work itself.
        return 130  # As a shell reports a program that was ended by SIGINT.


def _run_guarded(arguments: list[str]) -> int:
    """Run a command of the terminal; return the exit code."""
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
        from placet.frontends.lsp.start import listen

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


def log_in() -> int:
    """Store a key, asked for in a terminal that a client of the Agent Client Protocol has opened."""
    from placet.frontends.terminal import auth
    from placet.frontends.terminal.output import guarded_streams

    with guarded_streams():
        return auth.log_in()


if __name__ == "__main__":
    sys.exit(main())
