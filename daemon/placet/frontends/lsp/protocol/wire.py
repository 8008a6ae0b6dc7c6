"""Messages that Placet adds to LSP: the form of a declaration, and the table of the daemon's messages.

Handlers declare the editor's messages (handlers/table.py). Schema, docs/PROTOCOL.md and the plugins' types are made of
both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from placet.core.events import SessionEvent
from placet.core.messages import Value
from placet.frontends.lsp.protocol.editor_messages import (
    ApplyEdit,
    ApplyEditResult,
    Diagnostics,
    DiagnosticsResult,
    EditorDocuments,
    EditorState,
    GetState,
    LanguageFeature,
    LanguageFeatureResult,
    ReadDocuments,
    Reload,
    ReloadResult,
    Save,
    SaveResult,
)
from placet.frontends.lsp.protocol.permission_wire import Permission, RequestPermission
from placet.frontends.lsp.protocol.question_wire import AskQuestion, QuestionResult


@dataclass(frozen=True, slots=True)
class Message:
    """Models of one message."""

    params: type[Value]
    """Model of the params; the docstring of the model describes the message."""
    result: type[Value] | None = None
    """Model of the result; None for a notification, and for a request which is answered with null."""
    kind: Literal["request", "notification"] = "request"


FROM_DAEMON: Mapping[str, Message] = {
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
