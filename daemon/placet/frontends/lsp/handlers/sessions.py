"""`agent/session/*`: beginning, listing, loading, copying and deleting sessions, and the choices of a session."""

from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.agent_messages import (
    CompactResult,
    CompactSession,
    DeleteSession,
    ExportedSession,
    ExportSession,
    ForkSession,
    ImportSession,
    ListSessions,
    LoadedSession,
    LoadSession,
    NewSession,
    RenameSession,
    SessionList,
    SessionSummary,
    SetAgent,
    SetCaution,
    SetEffort,
    SetModel,
    SetProfile,
    SetReview,
    SummarizeSession,
)
from placet.sessions.store.records import SessionInfo


@request("agent/session/new")
async def new_session(context: HandlerContext, params: NewSession) -> SessionInfo:
    return (await context.sessions.create(agent=params.agent, model=params.model, title=params.title)).info


@request("agent/session/list")
async def list_sessions(context: HandlerContext, params: ListSessions) -> SessionList:
    listed, cursor = await context.sessions.list(query=params.query, limit=params.limit, cursor=params.cursor)
    return SessionList(sessions=tuple(listed), cursor=cursor)


@request("agent/session/load")
async def load_session(context: HandlerContext, params: LoadSession) -> LoadedSession:
    session = await context.sessions.show(params.session_id)
    info = await context.sessions.info(params.session_id)
    return LoadedSession(session=info, events=tuple(session.replay(params.since)), queued=session.queued or None)


@request("agent/session/fork")
async def fork_session(context: HandlerContext, params: ForkSession) -> SessionInfo:
    return (await context.sessions.fork(params.session_id, params.message_id)).info


@request("agent/session/export")
async def export_session(context: HandlerContext, params: ExportSession) -> ExportedSession:
    text = await context.sessions.export(params.session_id, params.format, contents=params.contents)
    return ExportedSession(text=text)


@request("agent/session/import")
async def import_session(context: HandlerContext, params: ImportSession) -> SessionInfo:
    return (await context.sessions.import_(params.text)).info


@request("agent/session/rename")
async def rename_session(context: HandlerContext, params: RenameSession) -> SessionInfo:
    return await (await context.sessions.load(params.session_id)).choices.set_title(params.title)


@request("agent/session/delete")
async def delete_session(context: HandlerContext, params: DeleteSession) -> None:
    await context.sessions.delete(params.session_id)


@request("agent/session/compact")
async def compact_session(context: HandlerContext, params: CompactSession) -> CompactResult:
    done = await (await context.sessions.load(params.session_id)).compact()
    return CompactResult(tokens_before=done.tokens_before, tokens_after=done.tokens_after)


@request("agent/session/summarize")
async def summarize_session(context: HandlerContext, params: SummarizeSession) -> SessionSummary:
    return SessionSummary(text=await context.sessions.summarize(params.session_id))


@request("agent/session/setAgent")
async def set_agent(context: HandlerContext, params: SetAgent) -> SessionInfo:
    return await (await context.sessions.load(params.session_id)).choices.set_agent(params.agent)


@request("agent/session/setModel")
async def set_model(context: HandlerContext, params: SetModel) -> SessionInfo:
    return await (await context.sessions.load(params.session_id)).choices.set_model(params.model)


@request("agent/session/setReview")
async def set_review(context: HandlerContext, params: SetReview) -> SessionInfo:
    return await (await context.sessions.load(params.session_id)).choices.set_review(params.review)


@request("agent/session/setCaution")
async def set_caution(context: HandlerContext, params: SetCaution) -> SessionInfo:
    return await (await context.sessions.load(params.session_id)).choices.set_caution(params.caution)


@request("agent/session/setEffort")
async def set_effort(context: HandlerContext, params: SetEffort) -> SessionInfo:
    return await (await context.sessions.load(params.session_id)).choices.set_effort(params.effort)


@request("agent/session/setProfile")
async def set_profile(context: HandlerContext, params: SetProfile) -> SessionInfo:
    return await (await context.sessions.load(params.session_id)).choices.set_profile(params.profile)
