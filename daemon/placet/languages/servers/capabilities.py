"""Capabilities of Placet as the client of a language server, and the fields of a server's capabilities."""

from typing import Any

METHODS = {
    "textDocument/definition": "definitionProvider",
    "textDocument/typeDefinition": "typeDefinitionProvider",
    "textDocument/implementation": "implementationProvider",
    "textDocument/references": "referencesProvider",
    "textDocument/hover": "hoverProvider",
    "textDocument/documentSymbol": "documentSymbolProvider",
    "textDocument/signatureHelp": "signatureHelpProvider",
    "textDocument/rename": "renameProvider",
    "textDocument/codeAction": "codeActionProvider",
    "textDocument/formatting": "documentFormattingProvider",
    "textDocument/prepareCallHierarchy": "callHierarchyProvider",
    "workspace/symbol": "workspaceSymbolProvider",
    "callHierarchy/incomingCalls": "callHierarchyProvider",
    "callHierarchy/outgoingCalls": "callHierarchyProvider",
    "textDocument/diagnostic": "diagnosticProvider",
}
"""Field of LSP 3.17's ServerCapabilities for each method."""

_DYNAMIC = {"dynamicRegistration": True}
_KINDS = {"valueSet": list(range(1, 27))}

CLIENT: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": False,
        "configuration": True,
        "workspaceFolders": True,
        "didChangeWatchedFiles": _DYNAMIC,
        "symbol": {"symbolKind": _KINDS},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    },
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {
            "relatedInformation": True,
            "versionSupport": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
        },
        "diagnostic": _DYNAMIC,
        "definition": {"linkSupport": True},
        "typeDefinition": {"linkSupport": True},
        "implementation": {"linkSupport": True},
        "references": {},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "symbolKind": _KINDS},
        "signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown", "plaintext"]}},
        "rename": {"prepareSupport": False},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}},
            "dataSupport": True,
            "disabledSupport": True,
            "isPreferredSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "formatting": {},
        "callHierarchy": {},
    },
}
