"""`agent/status`: the state of the daemon, for a page on which the user looks for faults, and the inline completion."""

import logging
import os

from placet import __version__
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.agent_messages import GetStatus, LocalModelOffer, Status
from placet.frontends.lsp.protocol.inline_messages import InlineCompletionState, SetInlineCompletion
from placet.model.local.catalog import MODELS
from placet.model.local.offer import COMMAND, OFFER


@request("agent/status")
async def status(context: HandlerContext, params: GetStatus) -> Status:
    sessions, profile = context.sessions, context.client.profile
    files = (
        handler.baseFilename for handler in logging.getLogger().handlers if isinstance(handler, logging.FileHandler)
    )
    login = await sessions.models.login()
    return Status(
        version=__version__,
        pid=os.getpid(),
        memory=_resident_bytes(),
        running=tuple(session.info.id for session in sessions.running),
        pending=len(context.approver.pending()),
        log=next(files, None),
        model=login,
        local_model=_offer() if login.lacks_model else None,
        roots=tuple(root.as_uri() for root in sessions.roots),
        store=str(sessions.locations.store),
        sandbox=await sessions.sandbox(),
        completion=context.inline_completion.status(),
        client=" ".join(filter(None, (profile.client, profile.client_version))) or None,
    )


def _offer() -> LocalModelOffer:
    model = MODELS[0]
    return LocalModelOffer(
        id=model.full_name,
        title=model.title,
        bytes=model.size_bytes,
        license=model.license,
        command=COMMAND,
        text=OFFER,
    )


@request("agent/inlineCompletion")
async def set_inline_completion(context: HandlerContext, params: SetInlineCompletion) -> InlineCompletionState:
    completion = context.inline_completion
    if params.snooze_minutes is not None:
        completion.snooze(60 * params.snooze_minutes)
    if params.dismissed_uri is not None:
        completion.dismiss(params.dismissed_uri)
    return InlineCompletionState(status=completion.status())


def _resident_bytes() -> int:
    import psutil

    return psutil.Process().memory_info().rss
