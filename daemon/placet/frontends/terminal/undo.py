"""`placet undo` and `placet redo`: take back a turn, or take back an undo."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

from placet.changes.undo.revert import UndoneFile
from placet.core.errors import PlacetError, RequestError
from placet.core.visible_text import one_line
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain
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
                session = await _last_with(kind, sessions)
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


async def _last_with(kind: ChangeKind, sessions: Sessions) -> Session:
    """Return the last session here with such a change that stands. Raises RequestError without such a session."""
    cursor: str | None = None
    while True:
        infos, cursor = await sessions.list(cursor=cursor)
        for info in infos:
            session = await sessions.load(info.id)
            standing = [change for change in await session.changes() if change["state"] == "applied"]
            if any((change["kind"] == "undo") == (kind == "undo") for change in standing):
                return session
        if cursor is None:
            raise RequestError(f"There is no {'undo to redo' if kind == 'undo' else 'change to undo'} here.")


def undone_lines(files: Sequence[UndoneFile], workspace: Workspace) -> list[str]:
    """Return a line for the outcome of each file."""
    return [
        f"{file.status:10} {workspace.relative(file.path)}{f'  {file.reason}' if file.reason else ''}" for file in files
    ]
