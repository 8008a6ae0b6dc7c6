"""The editors a FakeEditor can be, and what each gets wrong. Sources: lsp.md section 2, editors-ux.md first table."""

from dataclasses import dataclass, field
from typing import Any, Literal

from placet.core.values import replace

Stale = Literal["refuse_all", "drop_silently", "refuse_document", "raise", "ignore"]


@dataclass(frozen=True)
class EditorProfile:
    name: str
    client_name: str
    encodings: tuple[str, ...] | None = None
    """As offered in `general.positionEncodings`; None for an editor that does not say (utf-16)."""
    agent: dict[str, Any] | None = None
    """`initializationOptions.agent`: what a plugin of ours declares; None for a plain editor."""
    stale: Stale = "refuse_all"
    """What becomes of an edit for an older version."""
    document_changes: bool = True
    """Declares `documentChanges`."""
    resource_operations: bool = False
    did_save: bool = True
    shows_documents: bool = True
    edit_window_seconds: float | None = None
    """Edits are taken only this long after the user's last command."""
    dismissed: Any = None
    """What the editor answers when the user closes a prompt."""
    replaces_prompts: bool = False
    """A second prompt takes the place of the first, which is never answered."""
    normalizes_line_endings: bool = False
    first_version: int = 1
    extra_capabilities: dict[str, Any] = field(default_factory=dict)

    @property
    def strict(self) -> bool:
        return self.agent is not None and self.agent.get("strictApply") is True

    def capabilities(self) -> dict[str, Any]:
        workspace_edit: dict[str, Any] = {"normalizesLineEndings": self.normalizes_line_endings}
        if self.document_changes:
            workspace_edit["documentChanges"] = True
        if self.resource_operations:
            workspace_edit["resourceOperations"] = ["create", "rename", "delete"]
        capabilities: dict[str, Any] = {
            "workspace": {"applyEdit": True, "workspaceEdit": workspace_edit, "workspaceFolders": True},
            "textDocument": {"synchronization": {"didSave": self.did_save, "dynamicRegistration": False}},
            "window": {"workDoneProgress": True, "showDocument": {"support": self.shows_documents}},
            "general": {},
        }
        if self.encodings is not None:
            capabilities["general"]["positionEncodings"] = list(self.encodings)
        return capabilities | self.extra_capabilities


PLUGIN_REQUESTS = [
    "editor/readDocuments",
    "editor/save",
    "editor/reload",
    "editor/diagnostics",
    "editor/languageFeature",
    "editor/state",
    "editor/requestPermission",
    "editor/question",
]
PLUGIN: dict[str, Any] = {
    "protocol": 1,
    "strictApply": True,
    "requests": PLUGIN_REQUESTS,
    "languageFeatures": ["textDocument/definition", "textDocument/hover", "textDocument/rename"],
    "ui": ["permission", "hunks", "editProposal", "question"],
}

VSCODE = EditorProfile(
    "vscode",
    "Visual Studio Code",
    encodings=("utf-16",),
    agent=PLUGIN,
    resource_operations=True,
    normalizes_line_endings=True,
)
NEOVIM = EditorProfile(
    "neovim",
    "Neovim",
    encodings=("utf-8", "utf-16", "utf-32"),
    agent=PLUGIN,
    stale="drop_silently",
    document_changes=False,
    resource_operations=True,
    normalizes_line_endings=True,
    first_version=0,
)
HELIX = EditorProfile(
    "helix",
    "helix",
    encodings=("utf-8", "utf-32", "utf-16"),
    stale="refuse_document",
    resource_operations=True,
    replaces_prompts=True,
    first_version=0,
)
EGLOT = EditorProfile("eglot", "Emacs", encodings=("utf-32", "utf-8", "utf-16"), stale="raise", first_version=0)
KATE = EditorProfile(
    "kate",
    "Kate",
    stale="ignore",
    edit_window_seconds=2.0,
    dismissed={},
    shows_documents=False,
    first_version=0,
)
PLAIN = EditorProfile("plain", "some-editor", did_save=False, shows_documents=False)

SIX = (VSCODE, NEOVIM, HELIX, EGLOT, KATE, PLAIN)

STOCK_VSCODE = replace(VSCODE, name="stock-vscode", agent=None)
STOCK_NEOVIM = replace(NEOVIM, name="stock-neovim", agent=None)
"""Without our plugin: says `applied` of an edit it dropped, and looks at the version of the first document only."""
UNVERSIONED = replace(PLAIN, name="unversioned", document_changes=False, stale="ignore")
"""An editor that knows only `changes`."""
