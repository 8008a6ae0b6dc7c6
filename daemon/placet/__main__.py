"""Start the command that the user chose.

Imports stand inside the commands: `placet --stdio` must answer `initialize` before the rest is loaded.
"""

from __future__ import annotations

import gc
import sys

TYPE_CHECKING = False  # typing's own takes as long to import as all that a pipe to a shared daemon needs.
if TYPE_CHECKING:
    import argparse
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
    from placet.core import pydantic_plugins
    from placet.frontends.terminal.command_line import parser

    if not arguments and sys.stdin.isatty() and sys.stdout.isatty():
        arguments = ["chat"]
    options = parser(arguments[0] if arguments else None).parse_args(arguments)
    if options.listen is not None:
        return listen(None if options.listen == "usual" else options.listen)
    # Imports make objects that stay: collecting every 700 objects frees nothing, and takes a tenth of the start.
    gc.set_threshold(50_000)
    pydantic_plugins.leave_out()
    _leave_out_programs_of_projects()
    match options.command:
        case "run" | "undo" | "redo":
            return _terminal(options)
        case "chat":
            return _chat(options)
        case "review" | "back":
            return _decide(options)
        case "worktree":
            return _worktree(options)
        case "auth":
            from placet.frontends.terminal import auth

            return auth.main(options.action, options.name, getattr(options, "method", None))
        case "tools" | "agents" | "models":
            from placet.frontends.terminal.arguments.catalogs import list_choices

            return list_choices(options)
        case "sessions" | "usage":
            return _sessions(options)
        case "permissions":
            return _permissions(options)
        case "sandbox":
            return _sandbox(options)
        case "pending" | "approve" | "reject":
            return _waiting(options)
        case "mcp":
            return _mcp(options)
        case "trust":
            return _trust(options)
        case "plugin":
            from placet.frontends.terminal.bundles import bundles

            return bundles.main(options)
        case "fleet" | "eval":
            return _fleet(options)
        case "doctor" | "setup" | "docs":
            return _installation(options)
        case "schema":
            return _schema(options.of)
        case "completion":
            from placet.frontends.terminal.completion import completion

            return completion(options.shell, parser())
        case _:
            parser().print_help()
            return 0 if not arguments else 2


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


def _terminal(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.run.run_arguments import read_options

    if not options.cwd.is_dir():
        print(f"placet: {options.cwd} is not a directory", file=sys.stderr)
        return 2
    if options.command == "run":
        from placet.frontends.terminal.run import start

        run_options = read_options(options)
        if run_options.worktree is not None:
            from placet.frontends.terminal.worktrees.run_in import in_worktree

            if (worktree_options := asyncio.run(in_worktree(run_options))) is None:
                return 2
            run_options = worktree_options
        return start.main(run_options)
    from placet.frontends.terminal.undo import redo, undo

    return asyncio.run((undo if options.command == "undo" else redo)(read_options(options)))


def _chat(options: argparse.Namespace) -> int:
    if not options.cwd.is_dir():
        print(f"placet: {options.cwd} is not a directory", file=sys.stderr)
        return 2
    from placet.frontends.terminal.interactive import start
    from placet.frontends.terminal.interactive.arguments import read_chat

    return start.main(read_chat(options))


def _decide(options: argparse.Namespace) -> int:
    import asyncio

    if not options.cwd.is_dir():
        print(f"placet: {options.cwd} is not a directory", file=sys.stderr)
        return 2
    if options.command == "back":
        from placet.frontends.terminal.back import back

        return asyncio.run(back(options))
    from placet.frontends.terminal.review.review import review

    return asyncio.run(review(options))


def _worktree(options: argparse.Namespace) -> int:
    import asyncio

    if not options.cwd.is_dir():
        print(f"placet: {options.cwd} is not a directory", file=sys.stderr)
        return 2
    from placet.frontends.terminal.worktrees.worktrees import worktrees

    return asyncio.run(worktrees(options))


def _permissions(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal import permissions

    match options.action:
        case "explain" if options.last:
            told = permissions.last_judgement(as_json=options.json)
        case "explain":
            bound = permissions.Subject(options.cwd, options.agent, options.session)
            told = permissions.explain(options.permission, options.subject, bound, as_json=options.json)
        case "revoke":
            told = permissions.revoke(options.id, cwd=options.cwd, as_json=options.json)
        case _:
            bound = permissions.Subject(options.cwd, options.agent, options.session)
            told = permissions.listing(bound, as_json=options.json)
    return asyncio.run(told)


def _sandbox(options: argparse.Namespace) -> int:
    import asyncio

    if options.action == "explain":
        from placet.frontends.terminal.sandbox.explain import explain

        return asyncio.run(explain(options.line, cwd=options.cwd, agent=options.agent, as_json=options.json))
    from placet.frontends.terminal.sandbox.trial import trial

    return asyncio.run(trial(cwd=options.cwd, as_json=options.json))


def _waiting(options: argparse.Namespace) -> int:
    import asyncio

    if options.command == "pending" and options.id is None:
        from placet.frontends.terminal.pending.nothing import tell_nothing_waits

        if asyncio.run(tell_nothing_waits(as_json=options.json)):
            return 0
    from placet.frontends.terminal.pending.pending import waiting

    return asyncio.run(waiting(options))


def _mcp(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal.mcp import mcp

    return asyncio.run(mcp(options.action, options.name, as_json=options.json))


def _trust(options: argparse.Namespace) -> int:
    from placet.frontends.terminal import trust

    if options.do == "list":
        return trust.listing(as_json=options.json)
    if not options.directory.is_dir():
        print(f"placet: {options.directory} is not a directory", file=sys.stderr)
        return 2
    if options.do == "forget":
        return trust.forget(options.directory)
    import asyncio

    answer = {"yes": True, "no": False}.get(options.do)
    return asyncio.run(trust.trust(options.directory, answer=answer, as_json=options.json))


def _schema(of: str) -> int:
    match of:
        case "run":
            from placet.frontends.terminal.run import run_events

            return run_events.main()
        case "settings":
            from placet.settings import schema

            return schema.main()
        case _:
            from placet.frontends.lsp import schema

            return schema.main()


def _fleet(options: argparse.Namespace) -> int:
    if options.command == "eval":
        from placet.frontends.terminal.fleet import evaluation

        return evaluation.main(options)
    from placet.frontends.terminal.fleet import fleet

    return fleet.main(options)


def _installation(options: argparse.Namespace) -> int:
    match options.command:
        case "setup":
            from placet.frontends.terminal.setup.setup import setup

            return setup(options.editor, write=options.write, as_json=options.json)
        case "docs":
            from placet.frontends.terminal.documents import show

            return show(options.page)
        case _:
            import asyncio

            from placet.frontends.terminal.doctor.doctor import doctor

            return asyncio.run(doctor(options.cwd, online=options.online, as_json=options.json))


def _sessions(options: argparse.Namespace) -> int:
    import asyncio

    if options.command == "sessions" and options.action == "summarize":
        from placet.frontends.terminal.summarizing import summarize

        return asyncio.run(summarize(options.id, options.model))
    if options.command == "sessions":
        from placet.frontends.terminal.sessions import sessions

        return asyncio.run(sessions(options))
    from placet.frontends.terminal.usage import usage

    return asyncio.run(usage(days=options.days, as_json=options.json))


if __name__ == "__main__":
    sys.exit(main())
