"""`/status`: the facts that the front end knows about a session, in plain words."""

from collections.abc import Iterator

from placet import __version__
from placet.core.executor import in_thread
from placet.core.ports import Document, Documents
from placet.core.visible_text import one_line, spelled_out
from placet.frontends.acp.ports.client_files import ClientFiles
from placet.frontends.acp.profile import Profile
from placet.frontends.acp.updates.tool_calls import fenced
from placet.project.paths import Workspace
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.sessions.session_text import choice_lines, fact, state_lines

MOST_NAMES = 10
"""Most files named."""


async def status(
    session: Session, sessions: Sessions, files: ClientFiles, documents: Documents, profile: Profile
) -> str:
    """Return the status of the session. Asks the client for unsaved texts, and tries the sandbox.

    Raises PlacetError.
    """
    login = await sessions.models.login(session.info.model)
    paths = await in_thread(Workspace, sessions.roots)
    used = await sessions.models.profile(session.info.model, session.info.profile)
    choices = session.choices
    info = session.info
    chosen = choice_lines(info.agent, login, info.effort, used, choices.review, choices.caution)
    lines = [*chosen, await _commands(sessions, profile)]
    lines += _files(files, await documents.unsaved(), paths)
    return fenced("\n".join((*lines, *await _rest(session, profile))))


async def _commands(sessions: Sessions, profile: Profile) -> str:
    settings = sessions.settings
    is_in_terminal = settings.acp.commands_in_terminal and settings.sandbox.mode != "require"
    if is_in_terminal and profile.capabilities.terminal:
        return fact("Commands", "in terminals of this client, without a sandbox (`acp.commandsInTerminal`)")
    return fact("Sandbox", await sessions.sandbox())


def _files(files: ClientFiles, unsaved: list[Document], paths: Workspace) -> Iterator[str]:
    """Yield how files are read and written, and the unsaved files that Placet has seen."""
    facts = files.facts
    if not facts.shows_unsaved:
        yield fact("Files", "read and written on disk: this client shows no unsaved text, so save before you prompt")
        return
    if not files.is_asked:
        yield fact("Files", "read and written on disk: this client has stopped answering for unsaved text")
        return
    written = "written through this client" if facts.takes_writes else "not edited until you save"
    yield fact("Files", f"unsaved text is read through this client, and {written}; other files are on disk")
    names = [spelled_out(paths.relative(document.path)) for document in unsaved]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    yield fact("Unsaved", f"{', '.join(names[:MOST_NAMES])}{more}" if names else "none of the files read last")


async def _rest(session: Session, profile: Profile) -> list[str]:
    lines = await state_lines(session, "/changes")
    client = one_line(" ".join(filter(None, (profile.info.title or profile.info.name, profile.info.version))))
    placet = f"{__version__}, in {client or 'a client without a name'}"
    return [*lines, fact("Session", session.info.id), fact("Placet", placet)]
