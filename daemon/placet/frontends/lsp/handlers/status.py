"""`agent/status`: the state of the daemon, for a page on which the user looks for faults."""

import logging
import os

from placet import __version__
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.agent_messages import GetStatus, Status


@request("agent/status")
async def status(context: HandlerContext, params: GetStatus) -> Status:
    sessions, profile = context.sessions, context.client.profile
    files = (
        handler.baseFilename for handler in logging.getLogger().handlers if isinstance(handler, logging.FileHandler)
    )
    return Status(
        version=__version__,
        pid=os.getpid(),
        memory=_resident_bytes(),
        running=tuple(session.info.id for session in sessions.running),
        pending=len(context.approver.pending()),
        log=next(files, None),
        model=await sessions.models.login(),
        roots=tuple(root.as_uri() for root in sessions.roots),
        store=str(sessions.locations.store),
        sandbox=await sessions.sandbox(),
        completion=context.inline_completion.status(),
        client=" ".join(filter(None, (profile.client, profile.client_version))) or None,
    )


def _resident_bytes() -> int:
    import psutil

    return psutil.Process().memory_info().rss
