"""`placet run`: one prompt without an editor, on the files of a directory."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rich.console import Console

from placet.changes.undo import UndoneFile
from placet.errors import PlacetError, RequestError, SettingsError
from placet.events import SessionEvent, ToolCallUpdate
from placet.frontends.terminal.approver import NobodyApprover, TerminalApprover
from placet.frontends.terminal.exit_codes import ExitCode, exit_code
from placet.frontends.terminal.keyboard import read_line
from placet.frontends.terminal.printer import JsonPrinter, TextPrinter
from placet.frontends.terminal.setup import read_setup, tell_of_projects
from placet.frontends.terminal.table import one_line
from placet.languages.features import language_features
from placet.messages import TextPart, ToolFailed, TurnError
from placet.ports import Approver, PermissionRequest, Ports
from placet.project.files import DiskDocuments
from placet.project.paths import Workspace
from placet.sessions.registry import Sessions, open_host, open_sessions
from placet.sessions.session import Session, TurnResult


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The command line of `placet run`, `placet undo` and `placet redo`."""

    cwd: Path
    prompt: str = ""
    model: str | None = None
    agent: str | None = None
    allow: tuple[str, ...] = ()
    """`permission` or `permission:pattern`."""
    json: bool = False
    continue_last: bool = False
    session_id: str | None = None


class Terminal:
    """Where a run writes and whom it asks."""

    def __init__(self, options: RunOptions) -> None:
        self.workspace = Workspace((options.cwd,))
        self.console = Console(highlight=False, stderr=options.json)
        self.json = JsonPrinter() if options.json else None
        self.text = TextPrinter(self.console)
        self.nobody = NobodyApprover()
        self.session: Session | None = None

    @property
    def approver(self) -> Approver:
        if sys.stdin.isatty() and sys.stderr.isatty():
            return TerminalApprover(self.console, self.workspace, read_line, self.text.shown_changes.add)
        return self.nobody

    def emit(self, event: SessionEvent) -> None:
        """EventSink: show it. A call that failed for want of anybody to ask ends the turn, once it is told why."""
        (self.json or self.text).emit(event)
        is_failed = isinstance(event.update, ToolCallUpdate) and isinstance(event.update.part.state, ToolFailed)
        if is_failed and self.nobody.unanswered and self.session is not None:
            self.session.stop()


async def run(options: RunOptions) -> ExitCode:
    """Run the prompt and report it; what goes wrong is a message on stderr and an exit code."""
    terminal = Terminal(options)
    try:
        async with _opened(options, terminal) as sessions:
            session = await _session(sessions, options)
            terminal.session = session
            await sessions.extensions.settled()  # There is no second prompt that could have what came too late.
            result = await _prompt(session, options)
            return _report(terminal, session, result)
    except (SettingsError, RequestError) as error:
        print(f"placet: {error}", file=sys.stderr)
        return ExitCode.USAGE
    except PlacetError as error:
        print(f"placet: {error}", file=sys.stderr)
        return ExitCode.FAILED


async def undo(options: RunOptions) -> ExitCode:
    """Take back the last turn that changed anything, in the given session or the directory's last one that did."""
    return await _taken_back(options, "edit", Session.undo)


async def redo(options: RunOptions) -> ExitCode:
    """Take back the last undo, in the given session or the last one here that has one."""
    return await _taken_back(options, "undo", Session.redo)


async def _taken_back(
    options: RunOptions, what: Literal["edit", "undo"], take_back: Callable[[Session], Awaitable[list[UndoneFile]]]
) -> ExitCode:
    terminal = Terminal(options)
    try:
        async with _opened(options, terminal) as sessions:
            given = options.session_id
            session = await (sessions.load(given) if given is not None else _last_with(what, sessions))
            files, info = await take_back(session), session.info
    except PlacetError as error:
        print(f"placet: {error}", file=sys.stderr)
        return ExitCode.FAILED
    terminal.console.print(f"In {one_line(info.title)!r} ({info.id}):", markup=False, soft_wrap=True)
    for file in files:
        why = f"  {file.reason}" if file.reason else ""
        shown = f"{file.status:10} {terminal.workspace.relative(file.path)}{why}"
        terminal.console.print(shown, markup=False, soft_wrap=True)
    return ExitCode.FAILED if any(file.status == "conflict" for file in files) else ExitCode.DONE


async def summarize(options: RunOptions, session_id: str) -> ExitCode:
    """Print what the session has done, in a few sentences of a model's."""
    try:
        async with _opened(RunOptions(options.cwd), Terminal(options)) as sessions:
            print(await sessions.summarize(session_id, options.model))
    except (SettingsError, RequestError) as error:
        print(f"placet: {error.told}", file=sys.stderr)
        return ExitCode.USAGE
    except PlacetError as error:
        print(f"placet: {error.told}", file=sys.stderr)
        return ExitCode.FAILED
    return ExitCode.DONE


@asynccontextmanager
async def _opened(options: RunOptions, terminal: Terminal) -> AsyncGenerator[Sessions, None]:
    """The core over this directory's disk."""
    setup = await read_setup(options.cwd, _settings(options))
    tell_of_projects(setup)
    host = await open_host(setup.settings, setup.locations)
    documents = DiskDocuments()
    features = language_features(documents, terminal.workspace.roots, setup.settings)
    ports = Ports(documents, features, terminal.approver, terminal)
    sessions = await open_sessions(ports, (options.cwd,), setup, setup.locations, host)
    sessions.extensions.on_trouble(lambda trouble: print(f"placet: {trouble}", file=sys.stderr))
    try:
        yield sessions
    finally:
        await sessions.close()


def _settings(options: RunOptions) -> Mapping[str, Any]:
    settings: dict[str, Any] = {}
    if options.model is not None:
        settings["model"] = options.model
    permission: dict[str, dict[str, str]] = {}
    for allowed in options.allow:
        name, _, pattern = allowed.partition(":")
        permission.setdefault(name, {})[pattern or "*"] = "allow"
    if permission:
        settings["permission"] = permission
    return settings


async def _last_with(what: Literal["edit", "undo"], sessions: Sessions) -> Session:
    """The last session here with such a change that stands. Raises RequestError if there is none."""
    cursor: str | None = None
    while True:
        found, cursor = await sessions.list(cursor=cursor)
        for info in found:
            session = await sessions.load(info.id)
            standing = [change for change in await session.changes() if change["state"] == "applied"]
            if any((change["kind"] == "undo") == (what == "undo") for change in standing):
                return session
        if cursor is None:
            raise RequestError(f"There is no {'undo' if what == 'undo' else 'change'} here that could be taken back.")


async def _session(sessions: Sessions, options: RunOptions) -> Session:
    """The session that is meant, with the agent and the model that are."""
    session_id = options.session_id
    if session_id is None and options.continue_last:
        found, _ = await sessions.list(limit=1)
        if not found:
            raise RequestError(f"There is no session for {options.cwd} yet.")
        session_id = found[0].id
    if session_id is None:
        return await sessions.create(agent=options.agent, model=options.model)
    session = await sessions.load(session_id)
    if options.agent is not None:
        await session.set_agent(options.agent)
    if options.model is not None:
        await session.set_model(options.model)
    return session


async def _prompt(session: Session, options: RunOptions) -> TurnResult:
    """The turn; Ctrl-C once cancels it, and a second one kills the process as usual."""
    turn = asyncio.ensure_future(session.prompt([TextPart(text=options.prompt)]))
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        turn.cancel()

    try:
        loop.add_signal_handler(signal.SIGINT, cancel)
    except NotImplementedError:  # Windows: KeyboardInterrupt ends the run.
        return await turn
    try:
        return await turn
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def _report(terminal: Terminal, session: Session, result: TurnResult) -> ExitCode:
    unanswered = terminal.nobody.unanswered
    code = ExitCode.NEEDS_PERMISSION if unanswered else exit_code(result)
    error = result.error
    if unanswered:
        error = TurnError(code="needs_permission", message="Nobody is there to ask.", hint=_how_to_allow(unanswered[0]))
    if terminal.json is not None:
        outcome = result.model_copy(update={"error": error}).dump()
        terminal.json.line({"sessionId": session.info.id, "exitCode": int(code), "result": outcome})
        return code
    terminal.text.end()
    if error is not None:
        print(f"placet: {error.message} {error.hint}".rstrip(), file=sys.stderr)
    elif result.stop_reason != "end_turn":
        print(f"placet: ended: {result.stop_reason}", file=sys.stderr)
    return code


def _how_to_allow(asked: object) -> str:
    if not isinstance(asked, PermissionRequest):
        return "It was a question to the user; run it in a terminal."
    rules = " ".join(f"--allow '{asked.permission}:{pattern}'" for pattern in asked.patterns)
    return f"{asked.title}. Asked by {asked.rule}. To allow it: {rules}"
