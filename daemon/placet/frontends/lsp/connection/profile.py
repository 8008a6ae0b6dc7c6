"""A client's abilities and faults, as named facts. No other module decides by the editor's name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from placet.text.positions import PositionEncoding

_ENCODINGS: dict[str, PositionEncoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


@dataclass(frozen=True, slots=True)
class Profile:
    """Facts of one connection, read once from the client's `initialize`.

    The quirks by name come from the clients' sources.
    """

    client: str = ""
    """Client's own name, for logs, messages and `agent/status` only."""
    client_version: str = ""
    position_encoding: PositionEncoding = "utf-16"
    """First encoding of the client's list; utf-16 without a list (LSP 3.17, PositionEncodingKind)."""

    protocol: int | None = None
    """Version of the agent protocol spoken by the client; None for a generic editor: an editor without our plugin."""
    strict_apply: bool = False
    """The client takes all files in one applyEdit, checks all files before changing any, and saves as told."""
    requests: frozenset[str] = frozenset()
    """`editor/*` requests answered by the client."""
    shows_waiting_files: bool = False
    """The client shows the waiting files of the change set, so that a permission request need not carry the change."""
    language_features: frozenset[str] = frozenset()
    """LSP methods answered by the client through `editor/languageFeature`."""

    trusts_folders: bool = True
    """False where the user has not let the editor trust its folders; `agent/didChangeTrust` may bring trust later."""

    applies_edits: bool = False
    """The client answers `workspace/applyEdit`."""
    versioned_edits: bool = False
    """The client understands `documentChanges`, and so the version meant by an edit."""
    shows_documents: bool = False
    shows_progress: bool = False

    inline_completion: Literal["none", "static", "dynamic"] = "none"
    """Whether the client asks for inline completions, and whether it takes the capability after `initialize`."""

    edits_only_after_command: bool = False
    """The client refuses applyEdit more than two seconds after the user's last command (Kate)."""
    ignores_versions: bool = False
    """The client applies an edit to the text at hand, whatever the version (Kate)."""
    blocks_while_asking: bool = False
    """The client stands still while a message request is on the screen (eglot, Kate)."""
    ignores_message_requests: bool = False
    """The client never answers `window/showMessageRequest` (Vim's ALE): the user answers by a command."""
    confirms_edits: bool = False
    """The client asks the user before applying an edit, and so may take long to answer (eglot)."""

    @property
    def is_generic(self) -> bool:
        """Return whether the client is without our plugin."""
        return self.protocol is None

    def can(self, request: str) -> bool:
        """Return whether the client said in `initialize` to answer this `editor/*` request."""
        return request in self.requests

    @classmethod
    def of(cls, initialize_params: Mapping[str, Any]) -> "Profile":
        """Read the facts from the params of `initialize`, as plain JSON. Never raises: malformed parts count as
        absent.
        """
        capabilities = _object(initialize_params, "capabilities")
        workspace = _object(capabilities, "workspace")
        window = _object(capabilities, "window")
        info = _object(initialize_params, "clientInfo")
        client = _string(info, "name")
        name = client.lower()
        agent = _object(_object(initialize_params, "initializationOptions"), "agent")
        protocol = agent.get("protocol")
        strict_apply = agent.get("strictApply") is True
        neovim = name.startswith("neovim")
        # Neither ALE nor an eglot before 1.10 sends its name, or knows of windows; ALE alone refuses edits in words.
        nameless = not client and not window
        eglot = name.startswith(("emacs", "eglot")) or (nameless and workspace.get("applyEdit") is True)
        kate = name.startswith(("kate", "kdevelop"))
        return cls(
            client=client,
            client_version=_string(info, "version"),
            position_encoding=_encoding(_strings(_object(capabilities, "general"), "positionEncodings")),
            protocol=protocol if isinstance(protocol, int) else None,
            strict_apply=strict_apply,
            requests=_strings_of(agent, "requests"),
            shows_waiting_files="changeSet" in _strings_of(agent, "ui"),
            language_features=_strings_of(agent, "languageFeatures"),
            trusts_folders=agent.get("trusted") is not False,
            applies_edits=strict_apply or workspace.get("applyEdit") is True,
            # Neovim 0.11 understands documentChanges without declaring them.
            versioned_edits=(
                strict_apply or neovim or _object(workspace, "workspaceEdit").get("documentChanges") is True
            ),
            shows_documents=_object(window, "showDocument").get("support") is True,
            shows_progress=window.get("workDoneProgress") is True,
            inline_completion=_inline_completion(_object(capabilities, "textDocument")),
            edits_only_after_command=kate,
            ignores_versions=kate,
            blocks_while_asking=kate or eglot,
            ignores_message_requests=nameless and workspace.get("applyEdit") is False,
            confirms_edits=eglot,
        )


def _inline_completion(document: Mapping[str, Any]) -> Literal["none", "static", "dynamic"]:
    """Return the ability by the capability `textDocument.inlineCompletion` (LSP 3.18)."""
    if not isinstance(document.get("inlineCompletion"), dict):
        return "none"
    return "dynamic" if _object(document, "inlineCompletion").get("dynamicRegistration") is True else "static"


def _object(holder: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = holder.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _string(holder: Mapping[str, Any], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _strings(holder: Mapping[str, Any], key: str) -> list[str]:
    value = holder.get(key)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _strings_of(holder: Mapping[str, Any], key: str) -> frozenset[str]:
    return frozenset(_strings(holder, key))


def _encoding(offered: list[str]) -> PositionEncoding:
    for encoding in offered:
        if encoding in _ENCODINGS:
            return _ENCODINGS[encoding]
    return "utf-16"
