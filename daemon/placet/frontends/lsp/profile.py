"""What a client can do and what it gets wrong, as named facts. Nothing else in the house asks which editor it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from placet.edits.positions import PositionEncoding

_ENCODINGS: dict[str, PositionEncoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


@dataclass(frozen=True, slots=True)
class Profile:
    """The facts of one connection, read once from its `initialize`.

    The quirks by name come from the clients' sources; the first table of editors-ux.md and lsp.md section 2 hold them.
    """

    client: str = ""
    """The client's own name, for logs and `agent/status` only."""
    client_version: str = ""
    position_encoding: PositionEncoding = "utf-16"
    """The first of the client's list; utf-16 when it has none (LSP 3.17, PositionEncodingKind)."""

    protocol: int | None = None
    """The version of the agent protocol the client speaks; None for a plain editor."""
    strict_apply: bool = False
    """Takes all files in one applyEdit, checks them all before it changes any, and saves as it is told."""
    requests: frozenset[str] = frozenset()
    """The `editor/*` requests it answers."""
    language_features: frozenset[str] = frozenset()
    """The LSP methods it answers through `editor/languageFeature`."""
    ui: frozenset[str] = frozenset()
    """What its review surface can do: permission, hunks, editProposal, question."""

    trusts_folders: bool = True
    """False where the user has not let the editor trust its folders; `agent/didChangeTrust` says it later."""

    applies_edits: bool = False
    """Answers `workspace/applyEdit`."""
    versioned_edits: bool = False
    """Understands `documentChanges`, and so the version an edit is meant for."""
    shows_documents: bool = False
    shows_progress: bool = False
    reports_saves: bool = False
    """Sends didSave. From one that does not, a changed buffer looks unsaved until its text is the disk's again."""

    edits_only_after_command: bool = False
    """Refuses applyEdit more than two seconds after the user's last command (Kate)."""
    ignores_versions: bool = False
    """Applies an edit to whatever the text is by now (Kate)."""
    reports_false_applied: bool = False
    """Says `applied: true` of an edit it dropped as stale (Neovim 0.11)."""
    checks_first_version_only: bool = False
    """In an edit of several files looks at the version of the first alone (Neovim 0.11)."""
    replaces_open_prompts: bool = False
    """A second message request takes the place of the first, which is then never answered (Helix)."""
    blocks_while_asking: bool = False
    """Stands still while a message request is on the screen (eglot, Kate)."""
    ignores_message_requests: bool = False
    """Never answers `window/showMessageRequest` (Vim's ALE): its user answers by a command."""
    confirms_edits: bool = False
    """Asks the user before it applies an edit, and so may take long to answer (eglot)."""

    @property
    def is_plain(self) -> bool:
        """Whether there is no plugin of ours on the other side."""
        return self.protocol is None

    def can(self, request: str) -> bool:
        """Whether the client said it answers this `editor/*` request."""
        return request in self.requests

    @classmethod
    def of(cls, initialize_params: Mapping[str, Any]) -> "Profile":
        """Read the facts from the params of `initialize`, as plain JSON. Never raises: what is malformed is absent."""
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
        # Neither ALE nor an eglot before 1.10 says who it is, or knows of windows; ALE alone refuses edits in words.
        nameless = not client and not window
        eglot = name.startswith(("emacs", "eglot")) or (nameless and workspace.get("applyEdit") is True)
        kate = name.startswith(("kate", "kdevelop"))
        stock_neovim = neovim and not strict_apply
        return cls(
            client=client,
            client_version=_string(info, "version"),
            position_encoding=_encoding(_strings(_object(capabilities, "general"), "positionEncodings")),
            protocol=protocol if isinstance(protocol, int) else None,
            strict_apply=strict_apply,
            requests=_strings_of(agent, "requests"),
            language_features=_strings_of(agent, "languageFeatures"),
            ui=_strings_of(agent, "ui"),
            trusts_folders=agent.get("trusted") is not False,
            applies_edits=strict_apply or workspace.get("applyEdit") is True,
            # Neovim 0.11 understands documentChanges without declaring them.
            versioned_edits=(
                strict_apply or neovim or _object(workspace, "workspaceEdit").get("documentChanges") is True
            ),
            shows_documents=_object(window, "showDocument").get("support") is True,
            shows_progress=window.get("workDoneProgress") is True,
            reports_saves=_object(_object(capabilities, "textDocument"), "synchronization").get("didSave") is True,
            edits_only_after_command=kate,
            ignores_versions=kate,
            reports_false_applied=stock_neovim,
            checks_first_version_only=stock_neovim,
            replaces_open_prompts=name.startswith("helix"),
            blocks_while_asking=kate or eglot,
            ignores_message_requests=nameless and workspace.get("applyEdit") is False,
            confirms_edits=eglot,
        )


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
    for one in offered:
        if one in _ENCODINGS:
            return _ENCODINGS[one]
    return "utf-16"
