"""The one table of what Placet adds to LSP. Schema, docs/PROTOCOL.md and the plugins' types are made from it."""

from dataclasses import dataclass
from typing import Literal

from placet.core.events import SessionEvent
from placet.core.messages import Value
from placet.frontends.lsp.protocol.agent_messages import (
    Cancel,
    CommitMessage,
    CompactResult,
    CompactSession,
    DeleteSession,
    DidChangeTrust,
    DidFocus,
    DidType,
    ExplainPermission,
    ExportedSession,
    ExportSession,
    ForkSession,
    GetStatus,
    ImportSession,
    ListPending,
    ListRules,
    ListSessions,
    LoadedSession,
    LoadSession,
    NewSession,
    PendingList,
    Prompt,
    PromptResult,
    Redo,
    RenameSession,
    RevokeGrant,
    SessionList,
    SessionSummary,
    SetAgent,
    SetModel,
    Status,
    SummarizeSession,
    Undo,
    UndoResult,
    WrittenMessage,
)
from placet.frontends.lsp.protocol.auth_messages import ListSignIns, SignedIn, SignInTo, SignInWays
from placet.frontends.lsp.protocol.catalog_messages import (
    AgentList,
    CommandList,
    ListAgents,
    ListCommands,
    ListModels,
    ListTools,
    ModelList,
    ToolList,
)
from placet.frontends.lsp.protocol.change_messages import ChangeList, DidPutIn, ListChanges
from placet.frontends.lsp.protocol.completion_messages import Complete, CompletionList
from placet.frontends.lsp.protocol.editor_messages import (
    ApplyEdit,
    ApplyEditResult,
    AskQuestion,
    Diagnostics,
    DiagnosticsResult,
    EditorDocuments,
    EditorState,
    GetState,
    LanguageFeature,
    LanguageFeatureResult,
    Permission,
    QuestionResult,
    ReadDocuments,
    Reload,
    ReloadResult,
    RequestPermission,
    Save,
    SaveResult,
)
from placet.frontends.lsp.protocol.mcp_messages import ManageMcp, McpList
from placet.sessions.asks.permission_info import ExplanationInfo, PermissionList
from placet.sessions.store.records import SessionInfo


@dataclass(frozen=True, slots=True)
class Message:
    """One message: what it carries, and what comes back when it is a request."""

    params: type[Value]
    """Its docstring says what the message is for."""
    result: type[Value] | None = None
    """None for a notification, and for a request that is answered with null."""
    kind: Literal["request", "notification"] = "request"


FROM_EDITOR: dict[str, Message] = {
    "agent/session/new": Message(NewSession, SessionInfo),
    "agent/session/list": Message(ListSessions, SessionList),
    "agent/session/load": Message(LoadSession, LoadedSession),
    "agent/session/fork": Message(ForkSession, SessionInfo),
    "agent/session/export": Message(ExportSession, ExportedSession),
    "agent/session/import": Message(ImportSession, SessionInfo),
    "agent/session/rename": Message(RenameSession, SessionInfo),
    "agent/session/delete": Message(DeleteSession),
    "agent/session/compact": Message(CompactSession, CompactResult),
    "agent/session/summarize": Message(SummarizeSession, SessionSummary),
    "agent/session/setAgent": Message(SetAgent, SessionInfo),
    "agent/session/setModel": Message(SetModel, SessionInfo),
    "agent/prompt": Message(Prompt, PromptResult),
    "agent/undo": Message(Undo, UndoResult),
    "agent/redo": Message(Redo, UndoResult),
    "agent/changes": Message(ListChanges, ChangeList),
    "agent/models": Message(ListModels, ModelList),
    "agent/agents": Message(ListAgents, AgentList),
    "agent/commands": Message(ListCommands, CommandList),
    "agent/tools": Message(ListTools, ToolList),
    "agent/mcp": Message(ManageMcp, McpList),
    "agent/auth/methods": Message(ListSignIns, SignInWays),
    "agent/auth/login": Message(SignInTo, SignedIn),
    "agent/complete": Message(Complete, CompletionList),
    "agent/commitMessage": Message(CommitMessage, WrittenMessage),
    "agent/status": Message(GetStatus, Status),
    "agent/permission/pending": Message(ListPending, PendingList),
    "agent/permission/rules": Message(ListRules, PermissionList),
    "agent/permission/explain": Message(ExplainPermission, ExplanationInfo),
    "agent/permission/revoke": Message(RevokeGrant),
    "agent/cancel": Message(Cancel, kind="notification"),
    "agent/didChangeTrust": Message(DidChangeTrust, kind="notification"),
    "agent/didFocus": Message(DidFocus, kind="notification"),
    "agent/didPutIn": Message(DidPutIn, kind="notification"),
    "agent/didType": Message(DidType, kind="notification"),
}

FROM_DAEMON: dict[str, Message] = {
    "agent/update": Message(SessionEvent, kind="notification"),
    "workspace/applyEdit": Message(ApplyEdit, ApplyEditResult),
    "editor/readDocuments": Message(ReadDocuments, EditorDocuments),
    "editor/save": Message(Save, SaveResult),
    "editor/reload": Message(Reload, ReloadResult),
    "editor/state": Message(GetState, EditorState),
    "editor/diagnostics": Message(Diagnostics, DiagnosticsResult),
    "editor/languageFeature": Message(LanguageFeature, LanguageFeatureResult),
    "editor/requestPermission": Message(RequestPermission, Permission),
    "editor/question": Message(AskQuestion, QuestionResult),
}
