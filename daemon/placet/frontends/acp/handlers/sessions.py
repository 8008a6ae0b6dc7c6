"""Handlers for opening, listing, closing and deleting sessions, and for their modes."""

from datetime import UTC, datetime
from pathlib import Path

from placet.core.errors import RequestError
from placet.frontends.acp.client_session import ClientSession
from placet.frontends.acp.config_options import shown_name
from placet.frontends.acp.connection.dispatcher import AnswerThen
from placet.frontends.acp.connection.rpc_errors import invalid_params, no_session
from placet.frontends.acp.door import Door
from placet.frontends.acp.mcp_servers import server_settings
from placet.frontends.acp.protocol.requests import (
    CreatedSession,
    ListedSession,
    ListSessions,
    LoadSession,
    McpServer,
    Mode,
    Modes,
    NewSession,
    OpenedSession,
    SessionList,
    SessionRef,
    SetMode,
    SetTitle,
    StoredTitle,
)
from placet.frontends.acp.updates.conversation import commands_update
from placet.frontends.acp.workspace import Workspace
from placet.project.paths import from_uri
from placet.sessions.session import Session
from placet.sessions.store.records import SessionInfo


async def new_session(door: Door, params: NewSession) -> AnswerThen:
    """Create a session; the answer comes once the session is stored."""
    workspace = await door.workspace(params.cwd, params.additional_directories)
    session = await workspace.sessions.create(agent=door.options.agent, model=door.options.model)
    opened = workspace.keep(session)
    result = CreatedSession(session.info.id, modes_of(workspace, session), workspace.told_options(opened, session))
    return AnswerThen(result, lambda: announce(workspace, session, opened, params.mcp_servers))


async def load_session(door: Door, params: LoadSession) -> AnswerThen:
    """Open a stored session, and show the whole conversation before the answer."""
    workspace, session, opened = await _reopened(door, params)
    await opened.replay(session.replay())
    result = OpenedSession(modes_of(workspace, session), workspace.told_options(opened, session))
    return AnswerThen(result, lambda: announce(workspace, session, opened, params.mcp_servers))


async def resume_session(door: Door, params: LoadSession) -> AnswerThen:
    """Open a stored session without showing the conversation."""
    workspace, session, opened = await _reopened(door, params)
    result = OpenedSession(modes_of(workspace, session), workspace.told_options(opened, session))
    return AnswerThen(result, lambda: announce(workspace, session, opened, params.mcp_servers))


async def fork_session(door: Door, params: LoadSession) -> AnswerThen:
    """Open a copy of a stored session in the folders, without showing the conversation. Raises RpcError."""
    info = await _stored(door, params.session_id)
    if (found := door.find_opened(info.id)) is not None:
        await (await found[0].sessions.load(info.id)).catch_up()  # The copy is made from the store.
    workspace = await door.workspace(params.cwd, params.additional_directories)
    session = await workspace.sessions.fork(info.id)
    opened = workspace.keep(session)
    result = CreatedSession(session.info.id, modes_of(workspace, session), workspace.told_options(opened, session))
    return AnswerThen(result, lambda: announce(workspace, session, opened, params.mcp_servers))


async def set_title(door: Door, params: SetTitle) -> StoredTitle:
    """Give a stored session a title, whether or not the client has the session open. Raises RpcError."""
    title = " ".join(params.title.split())
    if not title:
        raise invalid_params("title: expected a text")
    info = await _stored(door, params.session_id)
    if (found := door.find_opened(info.id)) is not None:
        session = await found[0].sessions.load(info.id)
        return StoredTitle((await session.choices.set_title(title)).title)
    listed = _listed(info)
    workspace = await door.workspace(listed.cwd, listed.additional_directories)
    session = await workspace.sessions.load(info.id)
    renamed = await session.choices.set_title(title)
    await workspace.sessions.unload(info.id)
    return StoredTitle(renamed.title)


async def list_sessions(door: Door, params: ListSessions) -> SessionList:
    """List the stored sessions, newest first, in pages. Raises RpcError for a cursor of another make."""
    cursor = params.cursor
    if cursor is not None and not _is_cursor(cursor):
        raise invalid_params("cursor: this is no cursor of an earlier page")
    cwd = None if params.cwd is None else Path(params.cwd).resolve()
    if cwd is not None and not Path(params.cwd or "").is_absolute():
        raise invalid_params(f"cwd: expected an absolute path, and got `{params.cwd}`")
    infos, more = await door.stored.page(cwd, cursor)
    return SessionList(tuple(map(_listed, infos)), more)


async def close_session(door: Door, params: SessionRef) -> None:
    """Cancel the session's work and free the memory; the session stays in the store."""
    workspace, _ = door.opened(params.session_id)
    await workspace.release(params.session_id)


async def delete_session(door: Door, params: SessionRef) -> None:
    """Delete the session. Deleting an unknown session succeeds.

    Raises RequestError if another process is at work in the session.
    """
    if (found := door.find_opened(params.session_id)) is not None:
        await found[0].release(params.session_id)
    if await door.stored.find(params.session_id) is not None:
        await door.stored.delete(params.session_id)


async def set_mode(door: Door, params: SetMode) -> None:
    """Let another agent answer from the next turn on; the options follow. Raises RpcError for an unknown agent."""
    workspace, opened = door.opened(params.session_id)
    session = await workspace.sessions.load(params.session_id)
    mode, opened.conversation.mode = opened.conversation.mode, params.mode_id
    try:
        await session.choices.set_agent(params.mode_id)
    except RequestError as error:
        opened.conversation.mode = mode
        raise invalid_params(str(error)) from error


def modes_of(workspace: Workspace, session: Session) -> Modes:
    """Return the agents to which the user can talk, as modes."""
    agents = workspace.sessions.agents.primary
    modes = {agent.name: Mode(agent.name, shown_name(agent), agent.description or None) for agent in agents}
    current = session.info.agent
    return Modes(current, tuple((modes | {current: modes.get(current, Mode(current, current))}).values()))


def announce(workspace: Workspace, session: Session, opened: ClientSession, mcp_servers: list[McpServer]) -> None:
    """Mark the session as known to the client, start the client's MCP servers behind the answer, and tell the client
    of the commands and of problems so far.
    """
    opened.announce()
    servers, unusable = server_settings(mcp_servers)
    session.servers.hand_over(servers)
    workspace.warm()
    commands, _ = workspace.sessions.commands(session)
    opened.show(commands_update(commands))
    opened.show_options(workspace.options_of(session))  # Another client may have chosen since the answer was made.
    for problem in (*unusable, *workspace.take_problems(), *workspace.newly_hidden(commands)):
        opened.say(problem)


async def _reopened(door: Door, params: LoadSession) -> tuple[Workspace, Session, ClientSession]:
    """Return the stored session, opened in the folders; another process may be at work in the session.

    Raises RpcError for an unknown session.
    """
    info = await _stored(door, params.session_id)
    workspace = await door.workspace(params.cwd, params.additional_directories)
    if (found := door.find_opened(params.session_id)) is not None and found[0] is not workspace:
        await found[0].release(params.session_id)
    session = await workspace.sessions.show(params.session_id)
    return workspace, session, workspace.keep(session, _cost(info))


async def _stored(door: Door, session_id: str) -> SessionInfo:
    """Return the entry of a session that the user prompts. Raises RpcError for any other id."""
    info = await door.stored.find(session_id)
    if info is None or info.parent_id is not None:
        raise no_session(session_id)
    return info


def _cost(info: SessionInfo) -> float:
    return 0.0 if info.usage is None else info.usage.cost


def _listed(info: SessionInfo) -> ListedSession:
    cwd, *additional = [str(path) for uri in info.roots if (path := from_uri(uri)) is not None] or ["/"]
    updated = datetime.fromtimestamp(info.updated / 1000, UTC).isoformat(timespec="seconds")
    return ListedSession(info.id, cwd, info.title, updated, tuple(additional))


def _is_cursor(cursor: str) -> bool:
    moment, colon, session_id = cursor.partition(":")
    return bool(colon) and moment.isdecimal() and session_id.startswith("ses_")
