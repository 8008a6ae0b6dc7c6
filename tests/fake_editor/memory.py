"""A FakeEditor connected in-process: a Peer for the daemon's side, with every message made of real JSON."""

import asyncio
import json
from pathlib import Path
from typing import Any

from lsprotocol import types

from fake_editor.editor import FakeEditor, Refused
from fake_editor.profiles import EditorProfile
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.editor_client import EditorError, EditorGone
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.protocol.standard import dump, read


class MemoryPeer:
    """The daemon's end. `editor` is the other."""

    def __init__(self, profile: EditorProfile, root: Path) -> None:
        self.editor = FakeEditor(profile, root)
        self.editor.send = self._from_editor
        self.profile = Profile.of(_plain(self.editor.initialize_params()))
        assert self.profile.position_encoding == self.editor.encoding
        self.buffers = BufferStore(self.profile.position_encoding)
        self.gone = asyncio.Event()
        self.deaf: set[str] = set()
        """Methods the editor serves and never answers."""
        self._hearing: set[asyncio.Task[None]] = set()

    async def request(self, method: str, params: Any, *, timeout_seconds: float | None = None) -> Any:
        if self.gone.is_set():
            raise EditorGone
        answering = asyncio.ensure_future(self._answer(method, _plain(params)))
        lost = asyncio.ensure_future(self.gone.wait())
        try:
            async with asyncio.timeout(timeout_seconds):
                await asyncio.wait({answering, lost}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                raise EditorGone
            return answer_of(method, _plain(answering.result()))
        except Refused as error:
            raise EditorError(error.code, error.message) from error
        finally:
            for task in (answering, lost):
                task.cancel()
            await asyncio.gather(answering, lost, return_exceptions=True)

    async def _answer(self, method: str, params: Any) -> Any:
        result = await self.editor.answer(method, params)
        if method in self.deaf:
            await asyncio.Event().wait()
        return result

    def notify(self, method: str, params: Any) -> None:
        task = asyncio.ensure_future(self.editor.hear(method, _plain(params)))
        self._hearing.add(task)
        task.add_done_callback(self._hearing.discard)

    def _from_editor(self, method: str, params: dict[str, Any]) -> None:
        document = _plain(params)["textDocument"]
        match method:
            case "textDocument/didOpen":
                self.buffers.opened(document["uri"], document["languageId"], document["version"], document["text"])
            case "textDocument/didChange":
                changed = read(types.DidChangeTextDocumentParams, _plain(params))
                self.buffers.changed(document["uri"], document["version"], changed.content_changes)
            case "textDocument/didSave":
                self.buffers.saved(document["uri"])
            case "textDocument/didClose":
                self.buffers.closed(document["uri"])
            case _:
                raise AssertionError(method)


def answer_of(method: str, result: Any) -> Any:
    """The result as the connection gives it to the daemon: a value of lsprotocol for a method of LSP itself."""
    kind = None if method == types.WORKSPACE_APPLY_EDIT else types.METHOD_TO_TYPES.get(method, (None, None))[1]
    return result if kind is None else read(kind, {"jsonrpc": "2.0", "id": 1, "result": result}).result


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=dump))
