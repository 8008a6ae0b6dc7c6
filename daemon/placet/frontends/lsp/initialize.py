"""`initialize`: what the params say of the editor's process and settings, and the result, a table of capabilities.

The handshake answers from the table before the event loop, lsprotocol and the server are loaded; so the module imports
little. The loaded server makes the result of its declared features, and tests/frontends/lsp/test_handshake.py holds
both equal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from placet import __version__
from placet.core.process_identity import is_running
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.protocol.methods import EXPERIMENTAL, GENERIC_COMMANDS

_INCREMENTAL = 2
"""LSP's TextDocumentSyncKind.Incremental."""

Json = dict[str, Any]


class InvalidSettings(ValueError):
    """The editor's settings are no object."""


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """Settings that an editor sends in `initialize`, apart by who wrote the settings."""

    user: Json = field(default_factory=dict[str, Any])
    """Settings of the user."""
    workspace: Json = field(default_factory=dict[str, Any])
    """Settings of the editor's workspace, which stand in the project's own files and are the project's."""


def editor_settings(params: Mapping[str, Any]) -> EditorSettings:
    """Return the settings in the params of `initialize`. Raises InvalidSettings."""
    options = params.get("initializationOptions")
    given = cast("Json", options) if isinstance(options, dict) else {}
    return EditorSettings(_settings(given, "settings"), _settings(given, "workspaceSettings"))


def _settings(options: Json, name: str) -> Json:
    settings = options.get(name)
    if settings is not None and not isinstance(settings, dict):
        raise InvalidSettings(f"initializationOptions.{name}: expected an object")
    return cast("Json", settings or {})


def editor_process_id(params: Mapping[str, Any]) -> int | None:
    """Return the id of the process with which to end, or None if no such process is visible.

    A process not visible now is on another machine or in a container, and will never tell its end.
    """
    process_id = params.get("processId")
    return process_id if isinstance(process_id, int) and process_id > 0 and is_running(process_id) else None


def initialize_result(profile: Profile) -> Json:
    """Return the result of `initialize` for a client, as the server's declared features make the result."""
    capabilities: Json = {
        "positionEncoding": profile.position_encoding,
        "textDocumentSync": {"openClose": True, "change": _INCREMENTAL, "save": {"includeText": False}},
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor", "source"]},
        # In prompt documents: see prompt_documents.py.
        "completionProvider": {"triggerCharacters": ["@", "/", "#"], "resolveProvider": False},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        "experimental": EXPERIMENTAL,
    }
    if profile.inline_completion == "static":
        # Other clients get the capability later, if completion is on: handlers/inline_completion.py.
        capabilities["inlineCompletionProvider"] = {}
    if profile.is_generic:
        # A plugin has commands of its own, and VS Code would register these commands over them.
        capabilities["executeCommandProvider"] = {"commands": list(GENERIC_COMMANDS)}
    return {"capabilities": capabilities, "serverInfo": {"name": "placet", "version": __version__}}
