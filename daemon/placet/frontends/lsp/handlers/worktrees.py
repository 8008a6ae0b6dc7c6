"""`agent/worktree/*`: worktrees of the opened folders' repositories."""

from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.worktree_messages import (
    BringWorktreeBack,
    BroughtBack,
    CreatedWorktree,
    CreateWorktree,
    ListWorktrees,
    RemovedWorktree,
    RemoveWorktree,
    WorktreeInfo,
    WorktreeList,
    WorktreeSession,
    WorktreeSubagent,
)
from placet.sessions.session_worktrees import WorktreeEntry
from placet.worktrees.listing import ListedWorktree
from placet.worktrees.records import Worktree


@request("agent/worktree/list")
async def list_worktrees(context: HandlerContext, params: ListWorktrees) -> WorktreeList:
    return WorktreeList(worktrees=tuple(map(_info, await context.sessions.worktrees.list())))


@request("agent/worktree/create")
async def create_worktree(context: HandlerContext, params: CreateWorktree) -> CreatedWorktree:
    worktrees = context.sessions.worktrees
    created = await worktrees.create(params.name, takes_changes=params.takes_changes)
    return CreatedWorktree(
        worktree=_info(WorktreeEntry(ListedWorktree(created.worktree, "unchanged"), (), is_here=False)),
        takes_changes=created.takes_changes,
        copied_files=created.copied.files,
        left_out=created.copied.left_out,
        has_setup=worktrees.has_setup,
    )


@request("agent/worktree/bringBack")
async def bring_worktree_back(context: HandlerContext, params: BringWorktreeBack) -> BroughtBack:
    worktrees = context.sessions.worktrees
    if params.branch:
        return BroughtBack(branch=await worktrees.commit(params.name, params.message))
    from placet.sessions.bring_back import bring_back  # Loaded with the first worktree.

    outcome = await bring_back(context.sessions, await worktrees.find(params.name))
    session = None if outcome.session is None else await context.sessions.info(outcome.session.info.id)
    return BroughtBack(
        session=session,
        files=len(outcome.views),
        conflicts=tuple(path.as_uri() for path in outcome.conflicts),
        left_out=outcome.left_out,
    )


@request("agent/worktree/remove")
async def remove_worktree(context: HandlerContext, params: RemoveWorktree) -> RemovedWorktree:
    removed = await context.sessions.worktrees.remove(params.name, force=params.force)
    return RemovedWorktree(kept_branch=removed.kept_branch or None)


def _info(entry: WorktreeEntry) -> WorktreeInfo:
    worktree = entry.listed.worktree
    return WorktreeInfo(
        name=worktree.name,
        uri=worktree.path.as_uri(),
        repository=worktree.repository.as_uri(),
        branch=worktree.branch,
        state=entry.listed.state,
        changed_files=entry.listed.changed_files,
        port=worktree.port,
        created=round(worktree.created * 1000),
        is_here=entry.is_here or None,
        subagent=_subagent(worktree),
        sessions=tuple(WorktreeSession(session=session.info, state=session.state) for session in entry.sessions),
    )


def _subagent(worktree: Worktree) -> WorktreeSubagent | None:
    if (subagent := worktree.subagent) is None:
        return None
    return WorktreeSubagent(agent=subagent.agent, session=subagent.session, is_at_work=subagent.is_at_work)
