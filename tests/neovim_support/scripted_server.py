"""A language server that a test plays: it holds the documents as it was told, and asks Neovim what the test asks.

Plain JSON-RPC and the standard library only, so that the plugin is judged by the wire and not by our daemon.
"""

import contextlib
import hashlib
import itertools
import json
import queue
import re
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from time_support import wait_seconds

Json = dict[str, Any]

RELAY = Path(__file__).with_name("relay.py")
CONNECT = """
  local relay = ...
  local start = vim.lsp.rpc.start
  vim.lsp.rpc.start = function(command, dispatchers, options)
    if command[2] == relay then
      return vim.lsp.rpc.connect('127.0.0.1', tonumber(command[3]))(dispatchers)
    end
    return start(command, dispatchers, options)
  end
"""
"""Have Neovim connect itself to a scripted server where it would start the relay."""


CANCELLED = -32800
"""Code of the error that answers a cancelled request."""


class AnsweredWithError(Exception):
    """Neovim answered a request with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(error.get("message"))
        self.code: int = error["code"]


class Inquiry:
    """A request to Neovim, from its being sent."""

    def __init__(self, request_id: str, method: str) -> None:
        self.request_id = request_id
        self._method = method
        self._answer: Future[Any] = Future()

    def settle(self, message: Json) -> None:
        if message.get("error") is not None:
            self._answer.set_exception(AnsweredWithError(message["error"]))
        else:
            self._answer.set_result(message.get("result"))

    def done(self) -> bool:
        return self._answer.done()

    def answer(self) -> Any:
        """Wait for the result. Raises AnsweredWithError."""
        if (error := self._error()) is not None:
            raise error
        return self._answer.result()

    def failure(self) -> AnsweredWithError:
        """Wait for the error that Neovim answers with."""
        error = self._error()
        assert error is not None, f"{self._method} was answered with {self._answer.result()}"
        return error

    def _error(self) -> AnsweredWithError | None:
        try:
            error = self._answer.exception(wait_seconds())
        except TimeoutError:
            raise AssertionError(f"Neovim never answered {self._method}") from None
        assert error is None or isinstance(error, AnsweredWithError)
        return error


def sha256(text: str) -> str:
    """As PROTOCOL.md has it."""
    return hashlib.sha256(text.encode()).hexdigest()


class ScriptedServer:
    """One connection. Requests of Neovim are answered by `answers`, all else is kept in `heard`."""

    def __init__(self, position_encoding: str = "utf-8") -> None:
        self.documents: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.initialize_params: Json = {}
        self.capabilities: Json = {}
        """More of them."""
        self.agent: Json | None = {"protocol": 1, "version": "0.0.0"}
        """What it says of the agent protocol; None for a server that does not speak it."""
        self.heard: queue.Queue[Json] = queue.Queue()
        self.failures: dict[str, str] = {}
        """Messages of the errors by which requests are answered, before `answers`."""
        self.answers: dict[str, Callable[[Json], Any]] = {
            "initialize": self._initialize,
            "shutdown": lambda _: None,
            "agent/session/setReview": lambda params: {"id": params["sessionId"], "review": params["review"]},
            "agent/session/new": lambda _: {"id": "ses_1"},
            "agent/session/load": lambda params: {"session": {"id": params["sessionId"]}, "events": []},
        }
        self._position_encoding = position_encoding
        self._inquiries: dict[str, Inquiry] = {}
        self._numbers = itertools.count(1)
        self._documents_changed = threading.Condition()
        self._writing = threading.Lock()
        self._connection: socket.socket | None = None
        self._connected = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def command(self) -> list[str]:
        """What Neovim starts: the Neovim of a test connects itself instead, as `CONNECT` has it."""
        return [sys.executable, str(RELAY), str(self._listener.getsockname()[1])]

    @property
    def process_command(self) -> list[str]:
        """What Neovim starts as a process, for a fact about the process; without site's modules a third of the time."""
        executable, *rest = self.command
        return [executable, "-IS", *rest]

    def close(self) -> None:
        with contextlib.suppress(OSError):  # Only so does an accept end that nobody came for.
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_RDWR)
            self._connection.close()
        self._thread.join(5)

    # ---------------------------------------------------------------- to Neovim

    def ask(self, method: str, params: Json) -> Inquiry:
        """Send a request."""
        assert self._connected.wait(wait_seconds()), "Neovim did not start its server"
        inquiry = Inquiry(f"test-{next(self._numbers)}", method)
        self._inquiries[inquiry.request_id] = inquiry
        self._send({"id": inquiry.request_id, "method": method, "params": params})
        return inquiry

    def request(self, method: str, params: Json) -> Any:
        """Send a request and wait for its result. Raises AnsweredWithError."""
        return self.ask(method, params).answer()

    def cancel(self, inquiry: Inquiry) -> None:
        self.notify("$/cancelRequest", {"id": inquiry.request_id})

    def notify(self, method: str, params: Json) -> None:
        self._send({"method": method, "params": params})

    def update(self, update: Json) -> None:
        self.notify("agent/update", {"sessionId": "ses_1", "seq": next(self._numbers), "update": update})

    def wait_for_document(self, uri: str, text: str | None = None) -> str:
        """The document once it is open, or once it has the text."""
        with self._documents_changed:
            fits = lambda: uri in self.documents and text in (None, self.documents[uri])  # noqa: E731
            assert self._documents_changed.wait_for(fits, wait_seconds()), f"{uri} is not {text!r}: {self.documents}"
            return self.documents[uri]

    def wait_for(self, method: str) -> Json:
        """The params of the next message of that method; others before it are dropped."""
        dropped: list[str] = []
        while True:
            message = self.next_message(f"{method}, but {dropped}")
            if message["method"] == method:
                return message.get("params") or {}
            dropped.append(message["method"])

    def next_message(self, wanted: str = "a message") -> Json:
        """Take the next message that Neovim sent; `wanted` is for the failure's text."""
        try:
            return self.heard.get(timeout=wait_seconds())
        except queue.Empty:
            raise AssertionError(f"Neovim never sent {wanted}") from None

    # ---------------------------------------------------------------- from Neovim

    def _run(self) -> None:
        try:
            self._connection, _ = self._listener.accept()
        except OSError:
            return
        self._connected.set()
        with contextlib.suppress(OSError), self._connection.makefile("rb") as stream:
            while (message := _read(stream)) is not None:
                self._take(message)

    def _take(self, message: Json) -> None:
        method = message.get("method")
        if method is None:
            self._inquiries.pop(message["id"]).settle(message)
            return
        if method.startswith("textDocument/did"):
            with self._documents_changed:
                self._follow(method, message["params"])
                self._documents_changed.notify_all()
        if "id" in message:
            answer = self.answers.get(method)
            if method in self.failures:
                error = {"code": -32601, "message": self.failures[method]}
                self._send({"id": message["id"], "error": error})
            elif answer is not None:
                self._send({"id": message["id"], "result": answer(message.get("params") or {})})
        self.heard.put(message)
        if method == "exit" and self._connection is not None:
            with contextlib.suppress(OSError):  # Neovim may have left before.
                self._connection.shutdown(socket.SHUT_RDWR)

    def _initialize(self, params: Json) -> Json:
        self.initialize_params = params
        return {
            "capabilities": {
                "positionEncoding": self._position_encoding,
                "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
                **({"experimental": {"agent": self.agent}} if self.agent is not None else {}),
                **self.capabilities,
            }
        }

    def _follow(self, method: str, params: Json) -> None:
        document = params["textDocument"]
        uri = document["uri"]
        if method == "textDocument/didOpen":
            self.documents[uri], self.versions[uri] = document["text"], document["version"]
        elif method == "textDocument/didChange":
            for change in params["contentChanges"]:
                self.documents[uri] = self._changed(self.documents[uri], change)
            self.versions[uri] = document["version"]
        elif method == "textDocument/didClose":
            del self.documents[uri], self.versions[uri]

    def _changed(self, text: str, change: Json) -> str:
        start = self._offset(text, change["range"]["start"])
        end = self._offset(text, change["range"]["end"])
        return text[:start] + change["text"] + text[end:]

    def _offset(self, text: str, position: Json) -> int:
        lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
        before = sum(map(len, lines[: position["line"]]))
        line = lines[position["line"]] if position["line"] < len(lines) else ""
        content = line.rstrip("\r\n")
        if self._position_encoding == "utf-8":
            return before + len(content.encode()[: position["character"]].decode())
        return before + len(content.encode("utf-16-le")[: 2 * position["character"]].decode("utf-16-le"))

    def _send(self, message: Json) -> None:
        assert self._connection is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self._writing:
            self._connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def _read(stream: Any) -> Json | None:
    length = 0
    while line := stream.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(stream.read(length)) if length else None
