"""`agent/permission/rules`, `explain` and `revoke`."""

from typing import assert_never

from placet.core.messages import Value
from placet.frontends.lsp.protocol.agent_messages import ExplainPermission, ListRules, RevokeGrant
from placet.permissions.lint import warnings
from placet.sessions.asks.permission_info import explanation_info, permission_list
from placet.sessions.registry import Sessions


async def answer_about_permissions(
    sessions: Sessions, params: ListRules | ExplainPermission | RevokeGrant
) -> Value | None:
    """Answer a request about permissions. Raises RequestError for an unknown session, agent or grant."""
    permissions = sessions.permissions
    match params:
        case ListRules():
            bound = await sessions.bound(params.agent, params.session_id)
            rules, granted = permissions.rules(bound), permissions.granted(bound.session_id)
            return permission_list(rules, warnings(rules), granted, permissions.grants.problem)
        case ExplainPermission():
            bound = await sessions.bound(params.agent, params.session_id)
            explanation = await permissions.explain(params.permission, params.subject, bound)
            return explanation_info(explanation, permissions.not_offered(params.permission, bound))
        case RevokeGrant():
            return await permissions.revoke(params.id)
        case _:
            assert_never(params)
