"""`agent/status`: the state of the daemon, for a page on which the user looks for faults."""

import logging
import os

from placet import __version__
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.protocol.agent_messages import Status
from placet.sessions.registry import Sessions


async def status_of(sessions: Sessions, pending: int, profile: Profile) -> Status:
    """Return the daemon's state. `pending` is the number of waiting permission requests."""
    files = (one.baseFilename for one in logging.getLogger().handlers if isinstance(one, logging.FileHandler))
    return Status(
        version=__version__,
        pid=os.getpid(),
        memory=_resident_bytes(),
        running=tuple(session.info.id for session in sessions.running),
        pending=pending,
        log=next(files, None),
        model=await sessions.login(),
        roots=tuple(root.as_uri() for root in sessions.roots),
        store=str(sessions.locations.store),
        client=" ".join(filter(None, (profile.client, profile.client_version))) or None,
    )


def _resident_bytes() -> int:
    import psutil

    return psutil.Process().memory_info().rss
