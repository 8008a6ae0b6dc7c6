"""`agent/back/*`: going back to an earlier prompt in talk and files, and forward again."""

from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.agent_messages import UndoneFile
from placet.frontends.lsp.protocol.back_messages import (
    BackFile,
    BackPreview,
    BackResult,
    GoBack,
    OutsideEffect,
    PreviewBack,
    RedoBack,
)
from placet.sessions.going_back.going_back import WentBack


@request("agent/back/preview")
async def preview_back(context: HandlerContext, params: PreviewBack) -> BackPreview:
    session = await context.sessions.show(params.session_id)
    preview = await session.going_back.preview(params.message_id, params.what)
    return BackPreview(
        files=tuple(
            BackFile(
                uri=file.path.as_uri(),
                status=file.status,
                reason=file.reason or None,
                additions=file.additions,
                deletions=file.deletions,
            )
            for file in preview.files
        ),
        staged=tuple(path.as_uri() for path in preview.staged),
        prompts=preview.prompts,
        effects=tuple(OutsideEffect(kind=effect.kind, text=effect.text) for effect in preview.effects),
    )


@request("agent/back/go")
async def go_back(context: HandlerContext, params: GoBack) -> BackResult:
    session = await context.sessions.load(params.session_id)
    return _result(await session.going_back.go(params.message_id, params.what))


@request("agent/back/redo")
async def redo_back(context: HandlerContext, params: RedoBack) -> BackResult:
    return _result(await (await context.sessions.load(params.session_id)).going_back.redo())


def _result(went: WentBack) -> BackResult:
    return BackResult(
        files=tuple(
            UndoneFile(uri=file.path.as_uri(), status=file.status, reason=file.reason or None) for file in went.files
        ),
        staged=tuple(path.as_uri() for path in went.staged),
        parts=tuple(went.parts),
    )
