"""Language server at work on one root: initialized, told of the texts in question, and listened to."""

import logging
import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from placet import __version__
from placet.core.messages import JsonObject
from placet.core.ports import Document
from placet.core.spans import span
from placet.languages.servers.capabilities import CLIENT, METHODS
from placet.languages.servers.diagnostics_freshness import DiagnosticsFreshness
from placet.languages.servers.process import ServerGone, ServerProcess, ServerRefused
from placet.languages.servers.table import ServerKind
from placet.project.paths import from_uri
from placet.sandbox.programs import Contain, uncontained

logger = logging.getLogger(__name__)

INITIALIZE_SECONDS = 45.0
MOST_OPEN = 100
"""Limit on open documents; the document longest unused is closed for another."""


class _Told(NamedTuple):
    """Text that the server was told last of an open document."""

    version: int
    sha256: str
    """Hash of the text; empty if the server shall judge the same text once more."""
    is_unsaved: bool


class LanguageServer:
    """Language server that runs after `start`; positions are in UTF-16 throughout, which every server supports."""

    def __init__(self, kind: ServerKind, root: Path) -> None:
        self.kind = kind
        self.root = root
        self.judgements = DiagnosticsFreshness()
        self.last_used = time.monotonic()
        self._process = ServerProcess(kind.name, self._answer, self._hear)
        self._capabilities: JsonObject = {}
        self._registered: dict[str, str] = {}
        """Methods that the server offered after the start, by the registration's id."""
        self._open: dict[str, _Told] = {}
        """Open documents, by URI; the document longest unused first."""
        self._busy: set[Any] = set()
        """Tokens of the server's running work."""

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive

    @property
    def is_loading(self) -> bool:
        """True while the server reports running work, for example reading the project."""
        return bool(self._busy)

    async def start(
        self, command: tuple[str, ...], environment: Mapping[str, str], contain: Contain | None = None
    ) -> None:
        """Start the server. `contain`: the sandbox of the server, or None for a server outside.

        Raises ServerGone if the start fails, or the server does not answer.
        """
        await self._process.start(command, self.root, environment, contain or uncontained)
        folder = {"uri": self.root.as_uri(), "name": self.root.name}
        params = {
            # A server ends when the process of this id has ended, and a contained server does not see the process.
            "processId": os.getpid() if contain is None else None,
            "clientInfo": {"name": "placet", "version": __version__},
            "rootUri": folder["uri"],
            "rootPath": str(self.root),
            "workspaceFolders": [folder],
            "capabilities": CLIENT,
            "initializationOptions": dict(self.kind.options) or None,
        }
        try:
            result = await self._process.request("initialize", params, timeout_seconds=INITIALIZE_SECONDS)
        except (ServerRefused, TimeoutError) as error:
            await self._process.stop()
            raise ServerGone(f"The language server {self.kind.name} did not start: {error or 'no answer'}") from error
        except BaseException:
            await self._process.stop()
            raise
        self._capabilities = cast("JsonObject", result.get("capabilities") or {})
        self._process.notify("initialized", {})
        if self.kind.settings:
            self._process.notify("workspace/didChangeConfiguration", {"settings": dict(self.kind.settings)})

    async def stop(self) -> None:
        await self._process.stop()

    async def memory_bytes(self) -> int:
        return await self._process.memory_bytes()

    def offers(self, method: str) -> bool:
        """Return whether the server offers the method, from the start or by a later registration."""
        return self._capabilities.get(METHODS[method]) not in (None, False) or method in self._registered.values()

    async def request(self, method: str, params: Any, *, timeout_seconds: float) -> Any:
        """Send a request. Raises ServerGone, ServerRefused, TimeoutError."""
        self.last_used = time.monotonic()
        with span("language_server.request", **{"rpc.method": method, "placet.language_server": self.kind.name}):
            return await self._process.request(method, params, timeout_seconds=timeout_seconds)

    def tell(self, document: Document) -> int | None:
        """Send the text if new to the server, and return the text's version, or None for a file not served.

        Raises ServerGone.
        """
        self.last_used = time.monotonic()
        language = self.kind.language_of(document.path)
        if language is None:
            return None
        uri, sha256 = document.path.as_uri(), document.sha256
        sent = self._open.pop(uri, None)
        if sent is not None and sent.sha256 == sha256:
            self._open[uri] = sent._replace(is_unsaved=document.dirty)
            return sent.version
        version = 1 if sent is None else sent.version + 1
        self._open[uri] = _Told(version, sha256, document.dirty)
        self.judgements.sent(uri, version)
        if sent is None:
            opened = {"uri": uri, "languageId": language, "version": version, "text": document.text}
            self._process.notify("textDocument/didOpen", {"textDocument": opened})
            self._close_longest_unused()
        else:
            self._process.notify(
                "textDocument/didChange",
                {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": document.text}]},
            )
            if document.source == "disk" and not document.dirty:
                self._changed_on_disk(uri)
        return version

    @property
    def open_paths(self) -> list[Path]:
        """Return the paths of the open documents."""
        return [path for uri in self._open if (path := from_uri(uri)) is not None]

    @property
    def unsaved_paths(self) -> list[Path]:
        """Return the paths of the open documents whose told text is on no disk."""
        return [path for path in self.open_paths if self._open[path.as_uri()].is_unsaved]

    def version_of(self, path: Path) -> int | None:
        """Return the version of the text told last, or None for a document that is not open."""
        told = self._open.get(path.as_uri())
        return None if told is None else told.version

    def judge_again(self, paths: Collection[Path]) -> None:
        """Send the texts of the documents once more when asked about, as the texts of other documents have changed."""
        for path in paths:
            self._open[path.as_uri()] = self._open[path.as_uri()]._replace(sha256="")
        self.judgements.unsettle()

    def forget(self, path: Path, *, is_deleted: bool) -> None:
        """Close the document of a file that is deleted on disk, or that the told texts do not have.

        Raises ServerGone.
        """
        if self._open.pop(path.as_uri(), None) is not None:
            self._close(path.as_uri())
            if is_deleted:
                self._changed_on_disk(path.as_uri(), change=3)

    def _changed_on_disk(self, uri: str, change: int = 2) -> None:
        """Notify the server of a change on disk: some servers check on save, and some read other files from disk."""
        self._process.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": change}]})
        if change == 2 and self._capabilities.get("textDocumentSync"):
            self._process.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def _close_longest_unused(self) -> None:
        while len(self._open) > MOST_OPEN:
            uri = next(iter(self._open))
            del self._open[uri]
            self._close(uri)

    def _close(self, uri: str) -> None:
        self.judgements.closed(uri)
        self._process.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _hear(self, method: str, params: Any) -> None:
        match method:
            case "textDocument/publishDiagnostics":
                self.judgements.published(params)
            case "$/progress":
                value = params.get("value") or {}
                if value.get("kind") == "begin":
                    self._busy.add(params["token"])
                elif value.get("kind") == "end":
                    self._busy.discard(params["token"])
            case "window/logMessage" | "window/showMessage":
                logger.debug("%s: %s", self.kind.name, params.get("message"))
            case _:
                pass

    def _answer(self, method: str, params: Any) -> Any:
        """Answer a server's request to the editor; a server's edit is not applied, as the user has not seen it."""
        match method:
            case "workspace/configuration":
                return [_section(self.kind.settings, item.get("section")) for item in params.get("items") or []]
            case "workspace/workspaceFolders":
                return [{"uri": self.root.as_uri(), "name": self.root.name}]
            case "client/registerCapability":
                self._registered |= {
                    registration["id"]: registration["method"] for registration in params["registrations"]
                }
                self.judgements.wake()
                return None
            case "client/unregisterCapability":
                for registration in params.get("unregisterations") or []:
                    self._registered.pop(registration["id"], None)
                return None
            case "workspace/applyEdit":
                return {"applied": False, "failureReason": "Placet applies no edit that its user has not seen."}
            case "window/showMessageRequest" | "window/workDoneProgress/create" | "window/showDocument":
                return None
            case method if method.endswith("/refresh"):
                return None
            case _:
                raise LookupError(method)


def _section(settings: Mapping[str, Any], section: str | None) -> Any:
    """Return the part of the settings under a dotted name, or None if missing, as in LSP 3.17."""
    value: Any = settings
    for name in section.split(".") if section else []:
        value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    return value
