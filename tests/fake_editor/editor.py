"""The editor's model: buffers, what the user does to them, and the answers to what a server asks. No transport."""

import asyncio
import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fake_editor import applying, text
from fake_editor.profiles import EditorProfile
from time_support import limited

Json = dict[str, Any]
Hook = Callable[[Json], Any]
"""For what comes at once on a machine that has time."""


class Refused(Exception):
    """Becomes a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(eq=False)
class FakeBuffer:
    path: Path
    uri: str
    text: str
    saved_text: str
    version: int
    bom: bool = False
    attached: bool = True
    """The server is told about it."""
    undo: list[str] = field(default_factory=list)
    held: list[Json] | None = None
    """Changes the server will be told of later, as an editor that debounces does."""

    @property
    def dirty(self) -> bool:
        return self.text != self.saved_text


class FakeEditor:
    """One editor and its user."""

    def __init__(self, profile: EditorProfile, root: Path) -> None:
        self.profile = profile
        self.root = root
        self.encoding = profile.encodings[0] if profile.encodings else "utf-16"
        self.buffers: dict[Path, FakeBuffer] = {}
        self.send: Callable[[str, Json], None] = lambda method, params: None
        """How a notification gets to the server; set by the transport."""
        self.clock: Callable[[], float] = time.monotonic

        self.asked: list[tuple[str, Json]] = []
        """Every request of the server, in order."""
        self.told: list[tuple[str, Json]] = []
        """Every notification of the server, in order."""
        self.taken_off: list[str] = []
        """The methods of requests that the server took back."""
        self.violations: list[str] = []
        """What a server should never have sent to this editor."""

        self.before: dict[str, Hook] = {}
        """Called when a request arrives, before it is served: the user typing while it was on its way."""
        self.after: dict[str, Hook] = {}
        """Called when it was served, before the answer leaves."""
        self.on_permission: Hook = lambda params: {"outcome": "once"}
        self.on_question: Hook = lambda params: {"answers": None}
        self.on_message: Hook = lambda params: "Allow once"
        """Gives the title to choose; None to close the prompt."""
        self.on_save: Callable[[str], str] = lambda text: text
        """A formatter."""
        self.diagnostics: dict[Path, list[Json]] = {}
        self.features: dict[str, Any] = {}
        """Results of language features, by method."""

        self.applied_edits: dict[str, Json] = {}
        self.commanded_at: float | None = None
        self._news = asyncio.Event()
        """Set, and another put in its place, with all that is noted."""
        self._replaced: asyncio.Event | None = None
        """Of the prompt that is open."""

    # ------------------------------------------------------------ the user

    def open(self, path: Path, *, attached: bool = True, uri: str | None = None) -> FakeBuffer:
        """Open a file as it is on disk; one that does not exist is an empty buffer."""
        data = path.read_bytes() if path.exists() else b""
        bom = data.startswith(b"\xef\xbb\xbf")
        content = data.decode("utf-8-sig")
        if self.profile.normalizes_line_endings and self.profile.name.endswith("vscode"):
            content = content.replace("\r\n", "\n").replace("\n", text.dominant_ending(content))
        version = self.profile.first_version
        buffer = FakeBuffer(path, uri or path.as_uri(), content, content, version, bom, attached)
        self.buffers[path] = buffer
        if attached:
            self._tell_open(buffer)
        return buffer

    def _tell_open(self, buffer: FakeBuffer) -> None:
        document = {"uri": buffer.uri, "languageId": "text", "version": buffer.version, "text": buffer.text}
        self.send("textDocument/didOpen", {"textDocument": document})

    def close(self, path: Path) -> None:
        buffer = self.buffers.pop(path)
        if buffer.attached:
            self.send("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})

    def type(self, path: Path, new: str, *, after: str = "", instead_of: str = "") -> None:
        """Type at the start, or behind the first `after`, or over the first `instead_of`."""
        content = self.buffers[path].text
        anchor = instead_of or after
        assert anchor in content, f"{anchor!r} is not in the buffer"
        start = content.index(anchor) + (0 if instead_of else len(after))
        self.edit(path, [(start, start + len(instead_of), new)])

    def edit(self, path: Path, edits: list[tuple[int, int, str]]) -> None:
        """Replace spans of the buffer's text as one step of undo, and tell the server what changed."""
        buffer = self.buffers[path]
        buffer.undo.append(buffer.text)
        changes: list[Json] = []
        # From behind, so that every range stands in the text as the changes before it left it.
        for (start, end, _), new in sorted(
            (((start, end, number), new) for number, (start, end, new) in enumerate(edits)), reverse=True
        ):
            changes.append({"range": text.span(buffer.text, start, end, self.encoding), "text": new})
            buffer.text = buffer.text[:start] + new + buffer.text[end:]
        buffer.version += 1
        self._tell_change(buffer, changes)

    def undo(self, path: Path) -> None:
        buffer = self.buffers[path]
        buffer.text = buffer.undo.pop()
        buffer.version += 1
        self._tell_change(buffer, [{"text": buffer.text}])

    def hold(self, path: Path) -> None:
        """Do not tell the server of changes until `release`, as an editor that debounces."""
        self.buffers[path].held = []

    def release(self, path: Path) -> None:
        buffer = self.buffers[path]
        held, buffer.held = buffer.held, None
        if held:
            self._tell_change(buffer, held)
        self._wake()

    def _tell_change(self, buffer: FakeBuffer, changes: list[Json]) -> None:
        if not buffer.attached:
            return
        if buffer.held is not None:
            buffer.held += changes
            return
        document = {"uri": buffer.uri, "version": buffer.version}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def save(self, path: Path) -> None:
        """Format, write, and say so."""
        buffer = self.buffers[path]
        formatted = self.on_save(buffer.text)
        if formatted != buffer.text:
            self.edit(path, [(0, len(buffer.text), formatted)])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((b"\xef\xbb\xbf" if buffer.bom else b"") + buffer.text.encode())
        buffer.saved_text = buffer.text
        if buffer.attached and self.profile.did_save:
            self.send("textDocument/didSave", {"textDocument": {"uri": buffer.uri}})

    def look_at_disk(self) -> list[Json]:
        """Load again what has changed on disk and has nothing unsaved, as editors do when they get the focus."""
        results: list[Json] = []
        for path, buffer in self.buffers.items():
            now = path.read_bytes().decode("utf-8-sig") if path.exists() else None
            status = "unchanged"
            if now is not None and now != buffer.saved_text:
                status = "conflict" if buffer.dirty else "reloaded"
                if not buffer.dirty:
                    self.edit(path, [(0, len(buffer.text), now)])
                    buffer.saved_text = now
            results.append({"uri": buffer.uri, "status": status})
        return results

    def change_folders(self, *, added: Sequence[Path] = (), removed: Sequence[Path] = ()) -> None:
        """The user opens further folders in the window, or closes some."""
        folders = [[{"uri": path.as_uri(), "name": path.name} for path in paths] for paths in (added, removed)]
        event = dict(zip(("added", "removed"), folders, strict=True))
        self.send("workspace/didChangeWorkspaceFolders", {"event": event})

    def command_was_run(self) -> None:
        """The user has run a command of the server: an editor with an edit window opens it."""
        self.commanded_at = self.clock()

    # ------------------------------------------------------------ the server

    def initialize_params(self) -> Json:
        options: Json = {} if self.profile.agent is None else {"agent": self.profile.agent}
        return {
            "processId": None,
            "clientInfo": {"name": self.profile.client_name, "version": "1.0"},
            "rootUri": self.root.as_uri(),
            "workspaceFolders": [{"uri": self.root.as_uri(), "name": self.root.name}],
            "capabilities": self.profile.capabilities(),
            "initializationOptions": options,
        }

    async def answer(self, method: str, params: Json) -> Any:
        """Serve a request. Raises Refused for an error answer."""
        self.asked.append((method, params))
        self._wake()
        if method.startswith("editor/") and method not in (self.profile.agent or {}).get("requests", ()):
            self.violations.append(f"{method} was sent, which this client did not list")
            raise Refused(-32601, f"unknown method {method}")
        try:
            await _call(self.before.get(method), params)
            result = await self._serve(method, params)
            await _call(self.after.get(method), params)
        except asyncio.CancelledError:
            self.taken_off.append(method)
            self._wake()
            raise
        return result

    async def hear(self, method: str, params: Json) -> None:
        """Take a notification."""
        self.told.append((method, params))
        self._wake()

    async def wait_until(self, fact: Callable[[], bool]) -> None:
        """Wait until what the server sent, or took back, makes the fact true."""

        def state() -> str:
            return f"a fact; the editor was asked last {self.asked[-3:]}, and was told last {self.told[-3:]}"

        async with limited(state):
            while not fact():
                await self._news.wait()

    async def forever(self) -> None:
        """A decision that is never taken."""
        await asyncio.Event().wait()

    def requests_of(self, method: str) -> list[Json]:
        return [params for asked, params in self.asked if asked == method]

    def _wake(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def _serve(self, method: str, params: Json) -> Any:
        match method:
            case "workspace/applyEdit":
                return applying.apply(self, params)
            case "window/showMessageRequest":
                return await self._prompt(params)
            case "window/showDocument":
                return {"success": self.profile.shows_documents}
            case "editor/requestPermission":
                return await _call(self.on_permission, params)
            case "editor/question":
                return await _call(self.on_question, params)
            case "editor/readDocuments":
                return {"items": [self._read(uri) for uri in params["uris"]]}
            case "editor/save":
                for uri in params["uris"]:
                    self.save(self.buffer_of(uri).path)
                return {"files": [{"uri": uri, "saved": True} for uri in params["uris"]]}
            case "editor/reload":
                return {"files": self.look_at_disk()}
            case "editor/diagnostics":
                return self._diagnostics(params)
            case "editor/languageFeature":
                found = self.features.get(params["method"])
                status = "noProvider" if found is None else "ok"
                return {"status": status, "result": found, "providers": ["fake"], "versions": {}}
            case "editor/state":
                return {"open": [buffer.uri for buffer in self.buffers.values()]}
            case _:
                raise Refused(-32601, f"unknown method {method}")

    async def _prompt(self, params: Json) -> Any:
        if self._replaced is not None:
            self.violations.append("a prompt was opened over another")
            self.another_server_asks()
        mine = self._replaced = asyncio.Event()
        choosing, gone = asyncio.ensure_future(_call(self.on_message, params)), asyncio.ensure_future(mine.wait())
        try:
            await asyncio.wait((choosing, gone), return_when=asyncio.FIRST_COMPLETED)
            if mine.is_set():
                await self.forever()
            title = choosing.result()
        finally:
            if self._replaced is mine:
                self._replaced = None
            for task in (choosing, gone):
                task.cancel()
            await asyncio.gather(choosing, gone, return_exceptions=True)
        return self.profile.dismissed if title is None else {"title": title}

    def another_server_asks(self) -> None:
        """In some editors its prompt takes the place of the one that is open, which is then never answered."""
        if self._replaced is not None and self.profile.replaces_prompts:
            self._replaced.set()
            self._replaced = None

    def buffer_of(self, uri: str) -> FakeBuffer:
        return next(buffer for buffer in self.buffers.values() if buffer.uri == uri)

    def _read(self, uri: str) -> Json:
        buffer = next((buffer for buffer in self.buffers.values() if buffer.uri == uri), None)
        if buffer is None:
            return {"uri": uri, "open": False}
        return {
            "uri": uri,
            "open": True,
            "dirty": buffer.dirty,
            "version": buffer.version,
            "text": buffer.text,
            "eol": text.dominant_ending(buffer.text),
            "encoding": "utf-8",
            "bom": buffer.bom,
            "languageId": "text",
        }

    def _diagnostics(self, params: Json) -> Json:
        items = [
            {"uri": path.as_uri(), "version": None, "fresh": True, "diagnostics": found}
            for path, found in self.diagnostics.items()
            if params["uris"] is None or path.as_uri() in params["uris"]
        ]
        return {"items": items, "timedOut": False, "truncated": False}


async def _call(hook: Hook | None, params: Json) -> Any:
    if hook is None:
        return None
    result = hook(params)
    return await result if inspect.isawaitable(result) else result


def only_hunks(**ids: list[int]) -> Hook:
    """A decision: allow the hunks named, per file name with `_` for `.`; other files are refused."""

    def decide(params: Json) -> Json:
        files = {Path(file["uri"]).name.replace(".", "_"): file["uri"] for file in params["change"]["files"]}
        return {"outcome": "once", "hunks": {files[name]: allowed for name, allowed in ids.items()}}

    return decide
