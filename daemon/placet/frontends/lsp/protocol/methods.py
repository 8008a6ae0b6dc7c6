"""Names of the messages that an editor can send beside LSP's, known before any other module is loaded. wire.py has the
rest.
"""

from placet import __version__

PROTOCOL_VERSION = 1

REQUESTS = {
    "agent/session/new": "sessions",
    "agent/session/list": "sessions",
    "agent/session/load": "sessions",
    "agent/session/fork": "sessions",
    "agent/session/export": "sessions",
    "agent/session/import": "sessions",
    "agent/session/rename": "sessions",
    "agent/session/delete": "sessions",
    "agent/session/compact": "sessions",
    "agent/session/summarize": "sessions",
    "agent/session/setAgent": "sessions",
    "agent/session/setModel": "sessions",
    "agent/session/setReview": "sessions",
    "agent/session/setCaution": "sessions",
    "agent/session/setEffort": "sessions",
    "agent/worktree/list": "worktrees",
    "agent/worktree/create": "worktrees",
    "agent/worktree/bringBack": "worktrees",
    "agent/worktree/remove": "worktrees",
    "agent/prompt": "prompts",
    "agent/undo": "changes",
    "agent/redo": "changes",
    "agent/changes": "changes",
    "agent/back/preview": "back",
    "agent/back/go": "back",
    "agent/back/redo": "back",
    "agent/review/list": "review",
    "agent/review/decide": "review",
    "agent/models": "models",
    "agent/models/setFavourite": "models",
    "agent/models/check": "models",
    "agent/agents": "catalog",
    "agent/commands": "catalog",
    "agent/tools": "catalog",
    "agent/mcp": "mcp",
    "agent/auth/methods": "auth",
    "agent/auth/login": "auth",
    "agent/complete": "completion",
    "agent/commitMessage": "changes",
    "agent/status": "status",
    "agent/permission/pending": "permissions",
    "agent/permission/rules": "permissions",
    "agent/permission/explain": "permissions",
    "agent/permission/revoke": "permissions",
}
"""Requests, each with the module of `frontends/lsp/handlers` that answers the request; NOTIFICATIONS likewise."""
NOTIFICATIONS = {
    "agent/cancel": "prompts",
    "agent/didChangeTrust": "permissions",
    "agent/didFocus": "prompts",
    "agent/didPutIn": "changes",
    "agent/didType": "prompts",
}

AGENTS = ("build", "plan")
COMMANDS = ("init", "review")
"""Built-in slash commands; `agent/commands` has all commands."""

GENERIC_COMMANDS = (
    "placet.prompt",
    "placet.cancel",
    "placet.undo",
    "placet.redo",
    "placet.permission",
    "placet.answer",
    "placet.hunks",
    "placet.review",
    "placet.changes",
    "placet.decide",
    "placet.agent",
    "placet.model",
    "placet.sessions",
    "placet.login",
    "placet.new",
    "placet.chat",
    "placet.send",
)
"""Commands for `workspace/executeCommand` in an editor without our plugin."""

EXPERIMENTAL = {
    "agent": {
        "protocol": PROTOCOL_VERSION,
        "version": __version__,
        "methods": [*REQUESTS, *NOTIFICATIONS],
        "agents": list(AGENTS),
        "commands": list(COMMANDS),
    }
}
"""Capabilities that Placet adds to LSP's."""
