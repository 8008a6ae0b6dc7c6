"""Names of the requests an editor can send beside LSP's, known before any other module is loaded. wire.py has the
rest.
"""

PROTOCOL_VERSION = 1

REQUESTS = (
    "agent/session/new",
    "agent/session/list",
    "agent/session/load",
    "agent/session/fork",
    "agent/session/export",
    "agent/session/import",
    "agent/session/rename",
    "agent/session/delete",
    "agent/session/compact",
    "agent/session/summarize",
    "agent/session/setAgent",
    "agent/session/setModel",
    "agent/prompt",
    "agent/undo",
    "agent/redo",
    "agent/changes",
    "agent/models",
    "agent/agents",
    "agent/commands",
    "agent/tools",
    "agent/mcp",
    "agent/auth/methods",
    "agent/auth/login",
    "agent/complete",
    "agent/commitMessage",
    "agent/status",
    "agent/permission/pending",
    "agent/permission/rules",
    "agent/permission/explain",
    "agent/permission/revoke",
)
NOTIFICATIONS = ("agent/cancel", "agent/didChangeTrust", "agent/didFocus", "agent/didPutIn", "agent/didType")

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
    "placet.agent",
    "placet.model",
    "placet.sessions",
    "placet.login",
    "placet.new",
    "placet.chat",
    "placet.send",
)
"""Commands for `workspace/executeCommand` in an editor without our plugin."""
