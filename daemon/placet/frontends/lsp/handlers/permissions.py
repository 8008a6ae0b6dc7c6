"""`agent/permission/*`: pending requests, rules and grants; and the editor's trust in its folders."""

from placet.frontends.lsp.handlers.define import HandlerContext, notification, request
from placet.frontends.lsp.protocol.agent_messages import (
    DidChangeTrust,
    ExplainPermission,
    ListPending,
    ListRules,
    PendingList,
    RevokeGrant,
)
from placet.frontends.lsp.protocol.permission_wire import request_message
from placet.permissions.lint import warnings
from placet.sessions.asks.permission_info import ExplanationInfo, PermissionList, explanation_info, permission_list


@request("agent/permission/pending")
async def list_pending(context: HandlerContext, params: ListPending) -> PendingList:
    pending = [asked for asked in context.approver.pending() if params.session_id in (None, asked.session_id)]
    for asked in pending:
        context.approver.reopen(asked.id)
    shows = context.client.profile.shows_waiting_files
    return PendingList(requests=tuple(request_message(asked, shows_waiting_files=shows) for asked in pending))


@request("agent/permission/rules")
async def list_rules(context: HandlerContext, params: ListRules) -> PermissionList:
    permissions = context.sessions.permissions
    bound = await context.sessions.bound(params.agent, params.session_id)
    rules, granted = permissions.rules(bound), permissions.granted(bound.session_id)
    return permission_list(rules, warnings(rules), granted, permissions.grants.problem)


@request("agent/permission/explain")
async def explain_permission(context: HandlerContext, params: ExplainPermission) -> ExplanationInfo:
    permissions = context.sessions.permissions
    bound = await context.sessions.bound(params.agent, params.session_id)
    explanation = await permissions.explain(params.permission, params.subject, bound)
    return explanation_info(explanation, permissions.not_offered(params.permission, bound))


@request("agent/permission/revoke")
async def revoke_grant(context: HandlerContext, params: RevokeGrant) -> None:
    await context.sessions.permissions.revoke(params.id)


@notification("agent/didChangeTrust")
async def did_change_trust(context: HandlerContext, params: DidChangeTrust) -> None:
    await context.sessions.config_watcher.editor_says(trusted=params.trusted)
