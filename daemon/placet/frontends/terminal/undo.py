"""`placet undo` and `placet redo`: take back a turn, or take back an undo."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from placet.changes.undo.revert import UndoneFile
from placet.core.errors import PlacetError, RequestError
from placet.core.visible_text import one_line
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say
from placet.frontends.terminal.run.keyboard import read_line
from placet.frontends.terminal.run.opened import opened
from placet.frontends.terminal.run.run_options import RunOptions
from placet.frontends.terminal.run.terminal import Terminal
from placet.project.paths import Workspace
from placet.sessions.registry import Sessions
from placet.sessions.session import Session

ChangeKind = Literal["edit", "undo"]


async def undo(options: RunOptions) -> ExitCode:
    """Take back the last turn that changed a file, in the given session or the directory's last such session."""
    return await _taken_back(options, "edit", Session.undo)


async def redo(options: RunOptions) -> ExitCode:
    """Take back the last undo, in the given session or the last session here with an undo."""
    return await _taken_back(options, "undo", Session.redo)


async def _taken_back(
    options: RunOptions, kind: ChangeKind, take_back: Callable[[Session], Awaitable[list[UndoneFile]]]
) -> ExitCode:
    terminal = Terminal(options)
    try:
        async with opened(options, terminal) as sessions:
            if options.session_id is None:
                session, passed = await _last_with(kind, sessions)
                if passed is not None and not await _is_wanted(session, passed):
                    return ExitCode.DONE
            else:
                session = await sessions.load(await sessions.whole_id(options.session_id))
            files, info = await take_back(session), session.info
    except PlacetError as error:
        complain(str(error))
        return ExitCode.FAILED
    terminal.console.print(f"In {one_line(info.title)!r} ({info.id}):", markup=False, soft_wrap=True)
    for line in undone_lines(files, terminal.workspace):
        terminal.console.print(line, markup=False, soft_wrap=True)
    return ExitCode.FAILED if any(file.status == "conflict" for file in files) else ExitCode.DONE


async def _is_wanted(session: Session, passed: Session) -> bool:
    """Ask whether to undo in an earlier session. Raises RequestError where nobody can be asked."""
    names = [f"{one_line(one.info.title)!r} ({one.info.id})" for one in (passed, session)]
    fact = f"Every change of {names[0]} is undone. The next change to undo is of another session, {names[1]}."
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RequestError(f"{fact} Nothing was undone: confirm with `--session {session.info.id}`.")
    say(fact, to_stderr=True)
    try:
        return (await read_line("Undo the last turn of that session? [y/n] ")).strip().lower() in ("y", "yes")
    except EOFError:
        return False


async def _last_with(kind: ChangeKind, sessions: Sessions) -> tuple[Session, Session | None]:
    """Return the last session here with such a change that stands, and for an undo the last session whose changes are
    all undone, if that session is later. Raises RequestError without a session to undo in.
    """
    passed: Session | None = None
    cursor: str | None = None
    while True:
        infos, cursor = await sessions.list(cursor=cursor)
        for info in infos:
            session = await sessions.load(info.id)
            changes = await session.changes()
            standing = [change for change in changes if change["state"] == "applied"]
            if any((change["kind"] == "undo") == (kind == "undo") for change in standing):
                return session, passed
            if changes and kind == "edit" and passed is None:
                passed = session
        if cursor is None:
            raise RequestError(f"There is no {'undo to redo' if kind == 'undo' else 'change to undo'} here.")


def undone_lines(files: Sequence[UndoneFile], workspace: Workspace) -> list[str]:
    """Return a line for the outcome of each file."""
    return [
        f"{file.status:10} {workspace.relative(file.path)}{f'  {file.reason}' if file.reason else ''}" for file in files
    ]
