"""State of a connection: a workspace for each set of folders, and the client's open sessions."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from placet.core.executor import in_thread
from placet.core.tasks import has_failed
from placet.frontends.acp.client_session import ClientSession
from placet.frontends.acp.connection.client import Client
from placet.frontends.acp.connection.rpc_errors import invalid_params, no_session
from placet.frontends.acp.connection.update_queue import UpdateQueue
from placet.frontends.acp.options import DoorOptions
from placet.frontends.acp.profile import LearnedFaults, Profile
from placet.frontends.acp.stored_sessions import StoredSessions
from placet.frontends.acp.workspace import Workspace
from placet.settings import Locations

logger = logging.getLogger(__name__)


class Door:
    """Front door of a client; lives as long as the connection."""

    def __init__(self, client: Client, updates: UpdateQueue, options: DoorOptions, locations: Locations) -> None:
        self.options = options
        self.stored = StoredSessions(locations)
        self.updates = updates
        self.profile = Profile()
        """Facts about the client, from `initialize` on."""
        self._faults: dict[tuple[str, str], LearnedFaults] = {}
        """Faults that have come to light, by the client's name and version."""
        self.is_closing = False
        """True once the connection has ended: what is cancelled from now on, no user has cancelled."""
        self._client = client
        self._locations = locations
        self._workspaces: dict[tuple[Path, ...], asyncio.Task[Workspace]] = {}

    def meet(self, params: Any) -> None:
        """Take the facts about the client from the params of `initialize`."""
        self.profile = Profile.of(params)
        logger.info("The client is %s %s", self.profile.info.name, self.profile.info.version)

    async def workspace(self, cwd: str, additional: Sequence[str]) -> Workspace:
        """Return the workspace of these folders, which the first caller opens.

        Raises RpcError unless each path is the absolute path of a folder, SettingsError and StoreError.
        """
        folders = [await folder("cwd", cwd), *[await folder("additionalDirectories", name) for name in additional]]
        roots = tuple(dict.fromkeys(folders))
        opening = self._workspaces.get(roots)
        if opening is None or has_failed(opening):
            opening = self._workspaces[roots] = asyncio.create_task(self._open(roots), name="open a workspace")
        return await asyncio.shield(opening)

    def opened(self, session_id: str) -> tuple[Workspace, ClientSession]:
        """Return an open session of the client with the session's workspace. Raises RpcError for any other session."""
        if (found := self.find_opened(session_id)) is None:
            raise no_session(session_id)
        return found

    def find_opened(self, session_id: str) -> tuple[Workspace, ClientSession] | None:
        """Return an open session of the client with the session's workspace; None for any other session."""
        for opening in self._workspaces.values():
            if opening.done() and not has_failed(opening):
                workspace = opening.result()
                if (session := workspace.opened(session_id)) is not None:
                    return workspace, session
        return None

    def forget_keys(self) -> None:
        """Forget the keys that were stored by a client's sign-in. Blocks. Raises SettingsError."""
        from placet.auth.keys import KeyStore  # Most connections sign nobody out.

        forgotten = KeyStore(self._locations.keys).forget_marked()
        logger.info("The client signed out; forgotten: %s", ", ".join(forgotten) or "nothing")

    def list_models(self) -> None:
        """List the models with a key again, for the menus of all open sessions."""
        for opening in self._workspaces.values():
            if opening.done() and not has_failed(opening):
                opening.result().warm()

    async def close(self) -> None:
        """Stop every turn and everything started, and store everything."""
        openings = list(self._workspaces.values())
        for opening in openings:
            opening.cancel()
        opened = await asyncio.gather(*openings, return_exceptions=True)
        await asyncio.gather(*(workspace.close() for workspace in opened if isinstance(workspace, Workspace)))
        await self.stored.close()
        self.updates.close()

    async def _open(self, roots: tuple[Path, ...]) -> Workspace:
        faults = self._faults.setdefault(self.profile.key, {})
        workspace = Workspace(self._client, self.updates, roots, self.profile, faults)
        await workspace.open(self.options, self._locations)
        return workspace


async def folder(field: str, name: str) -> Path:
    """Return the real path of the folder. Raises RpcError with the name of the field."""
    path = Path(name)
    if not path.is_absolute() or "\0" in name:
        raise invalid_params(f"{field}: expected an absolute path, and got `{name}`")
    if not await in_thread(path.is_dir):
        raise invalid_params(f"{field}: there is no folder `{name}`")
    return await in_thread(path.resolve)
