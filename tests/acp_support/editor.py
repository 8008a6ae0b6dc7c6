"""A client of ACP with buffers, and every quirk of real clients as a switch. Connected in-process, as real JSON."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fake_editor import text
from fake_editor.editor import FakeBuffer, FakeEditor
from fake_editor.profiles import PLAIN
from placet.core.errors import EditConflict
from placet.core.values import replace
from placet.frontends.acp.connection.client import Client
from placet.frontends.acp.ports.client_files import ClientFiles
from placet.frontends.acp.ports.documents import UnsavedTexts, client_documents
from placet.frontends.acp.profile import Profile
from placet.text.encoding import decode, encode
from placet.text.merge import merge

Json = dict[str, Any]
SESSION_ID = "ses_client"


@dataclass(frozen=True)
class Quirks:
    name: str = "some-client"
    reads: bool = True
    writes: bool = True
    answers_reads: bool = True
    reads_disk: bool = False
    """Gives the text of the file, and never the text of a buffer."""
    reads_raw: bool = False
    """Gives the line ends and the BOM as they are; else LF without BOM."""
    drops_final_newline: bool = False
    empty_for_missing: bool = False
    opens: bool = False
    """Opens the files that it is asked for, as Zed does."""
    write: Literal["replace", "merge", "disk", "nothing"] = "replace"
    """What is written: the whole buffer, the difference from the text last read, the file alone, or nothing."""
    saves: bool = True
    doubles_final_newline: bool = False
    spoils: Literal["", "lf", "cr", "bom", "encoding"] = ""
    """What a write makes of the file: LF in place of CR LF, CR CR LF, no BOM, or UTF-8."""
    answer: Literal["result", "error", "none"] = "result"
    """What is answered to a write that was carried out."""


HONEST = Quirks()
ZED = Quirks("zed", write="merge", opens=True)
AGENT_SHELL = Quirks("agent-shell")
CODECOMPANION = Quirks(
    "CodeCompanion.nvim", reads_disk=True, empty_for_missing=True, doubles_final_newline=True, spoils="cr"
)
AVANTE = Quirks("avante.nvim", drops_final_newline=True, write="disk", answer="none")
VSCODE_ACP = Quirks("vscode-acp", reads_raw=True, write="disk", spoils="encoding")
READ_ONLY = Quirks("read-only", writes=False)
REAL = (HONEST, ZED, AGENT_SHELL, CODECOMPANION, AVANTE, VSCODE_ACP, READ_ONLY)


class AcpEditor(FakeEditor):
    """The buffers and the user of the client; files keep their encoding, as in any editor."""

    def __init__(self, quirks: Quirks, root: Path) -> None:
        profile = replace(PLAIN, name=quirks.name, client_name=quirks.name, edit_window_seconds=2.0)
        super().__init__(profile, root)
        self.encodings: dict[Path, str] = {}

    def open(self, path: Path, *, attached: bool = True, uri: str | None = None) -> FakeBuffer:
        content, encoding, bom = decode(path.read_bytes() if path.exists() else b"")
        self.encodings[path] = encoding
        buffer = FakeBuffer(path, uri or path.as_uri(), content, content, 0, bom, attached)
        self.buffers[path] = buffer
        return buffer

    def save(self, path: Path) -> None:
        buffer = self.buffers[path]
        formatted = self.on_save(buffer.text)
        if formatted != buffer.text:
            self.edit(path, [(0, len(buffer.text), formatted)])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(buffer.text, self.encodings[path], buffer.bom))
        buffer.saved_text = buffer.text

    def look_at_disk(self) -> list[Json]:
        for path, buffer in self.buffers.items():
            now = decode(path.read_bytes()) if path.exists() else None
            if now is not None and now.text != buffer.saved_text and not buffer.dirty:
                self.edit(path, [(0, len(buffer.text), now.text)])
                buffer.saved_text, buffer.bom, self.encodings[path] = now.text, now.bom, now.encoding
        return []


class AcpPeer:
    """The daemon's end of the connection, with the port; `editor` is the client's end."""

    def __init__(self, quirks: Quirks, root: Path) -> None:
        self.quirks = quirks
        self.editor = AcpEditor(quirks, root)
        self.store: Path | None = None
        """Store of the sessions, which other processes share."""
        self.user: Callable[[], None] = lambda: None
        """Called before the client handles what has arrived: the user types while messages are on their way."""
        self.after_write: Callable[[], None] = lambda: None
        """Called when a write is carried out, before the answer leaves."""
        self.held_writes: list[Json] | None = None
        """Writes that the client will carry out later."""
        self.asked: list[tuple[str, Json]] = []
        self.cancelled: list[int] = []
        self._inbox: list[Json] = []
        self._given: dict[Path, str] = {}
        """Text last given, by file."""
        self.client = Client(self._receive)
        fs = {"readTextFile": quirks.reads, "writeTextFile": quirks.writes}
        initialize = {"protocolVersion": 1, "clientInfo": {"name": quirks.name}, "clientCapabilities": {"fs": fs}}
        self.files = ClientFiles(self.client, Profile.of(initialize).files, {}, lambda: SESSION_ID)
        self.documents = client_documents(self.files, UnsavedTexts(lambda: self.store))
        self.buffers = self

    def find(self, path: Path) -> None:
        """The daemon has no copy of any buffer."""
        return

    def written(self) -> list[str]:
        """The texts of all writes that the daemon asked for."""
        return [params["content"] for method, params in self.asked if method == "fs/write_text_file"]

    def release_writes(self) -> None:
        """Carry out the held writes."""
        held, self.held_writes = self.held_writes or [], None
        for message in held:
            self._handle(message)

    def _receive(self, line: bytes) -> None:
        if not self._inbox:
            asyncio.get_running_loop().call_soon(self._take)
        self._inbox.append(json.loads(line))

    def _take(self) -> None:
        self.user()
        messages, self._inbox = self._inbox, []
        for message in messages:
            if message["method"] == "$/cancel_request":
                self.cancelled.append(message["params"]["requestId"])
            else:
                self.asked.append((message["method"], message["params"]))
                self._handle(message)

    def _handle(self, message: Json) -> None:
        params = message["params"]
        if params["sessionId"] != SESSION_ID:
            self.editor.violations.append(f"a file was asked for in the session {params['sessionId']}")
            self._answer(message, error="unknown session")
            return
        path = Path(params["path"])
        if message["method"] == "fs/read_text_file":
            if self.quirks.answers_reads:
                content = self._text(path)
                if content is None:
                    self._answer(message, error="no such file")
                else:
                    self._answer(message, {"content": content})
        elif self.held_writes is not None:
            self.held_writes.append(message)
        else:
            self._write(path, params["content"])
            self.after_write()
            match self.quirks.answer:
                case "result":
                    self._answer(message, {})
                case "error":
                    self._answer(message, error="cannot write")
                case "none":
                    pass

    def _answer(self, message: Json, result: Any = None, error: str = "") -> None:
        body: Json = {"error": {"code": -32603, "message": error}} if error else {"result": result}
        answer = json.loads(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}))
        asyncio.get_running_loop().call_soon(self.client.take_answer, answer)

    def _text(self, path: Path) -> str | None:
        if self.quirks.opens and path.exists() and path not in self.editor.buffers:
            self.editor.open(path)
        if path in self.editor.buffers and not self.quirks.reads_disk:
            content, bom = self.editor.buffers[path].text, self.editor.buffers[path].bom
        elif path.exists():
            content, _, bom = decode(path.read_bytes())
        elif self.quirks.empty_for_missing:
            return ""
        else:
            return None
        self._given[path] = lf(content)
        content = ("\ufeff" if bom else "") + content if self.quirks.reads_raw else lf(content)
        return content.removesuffix("\n") if self.quirks.drops_final_newline else content

    def _write(self, path: Path, content: str) -> None:
        if self.quirks.write == "merge" and path not in self.editor.buffers:
            self.editor.open(path)  # Zed keeps the buffer of a closed tab.
        match self.quirks.write:
            case "nothing":
                return
            case "disk":
                path.write_bytes(content.encode())
                self.editor.look_at_disk()
                return
            case "replace":
                pass
            case "merge":
                try:
                    content = merge(self._given.get(path, ""), lf(self.editor.buffers[path].text), content)
                except EditConflict:
                    return
        if path not in self.editor.buffers:
            self.editor.open(path)
        buffer = self.editor.buffers[path]
        ending = text.dominant_ending(buffer.text)
        content = content.replace("\n", ending)
        if self.quirks.doubles_final_newline and content.endswith(ending):
            content += ending
        if content != buffer.text:
            self.editor.edit(path, [(0, len(buffer.text), content)])
        if self.quirks.saves:
            self.editor.save(path)
            self._spoil(path)

    def _spoil(self, path: Path) -> None:
        content, encoding, bom = decode(path.read_bytes())
        match self.quirks.spoils:
            case "":
                return
            case "lf":
                content = lf(content)
            case "cr":
                content = content.replace("\r\n", "\r\r\n")
            case "bom":
                bom = False
            case "encoding":
                encoding, bom = "utf-8", False
        path.write_bytes(encode(content, encoding, bom))


def lf(content: str) -> str:
    return content.replace("\r\n", "\n").replace("\r", "\n")
