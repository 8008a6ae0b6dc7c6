"""Stand-in for the package xllamacpp: llama.cpp's wire without a model. tests/real_model holds it to the real engine.

The file `engine.json` beside the model's file changes the engine; `engine.log` gets a line for each thing that happens.
"""

import json
import os
import select
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

CHARACTERS_PER_TOKEN = 4


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(
            model=SimpleNamespace(path=""),
            cpuparams=SimpleNamespace(n_threads=0, poll=50),
            cpuparams_batch=SimpleNamespace(n_threads=0, poll=50),
            api_keys=[],
        )


class Server:
    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters
        self.directory = Path(parameters.model.path).parent
        script = self.directory / "engine.json"
        self.script: dict[str, Any] = json.loads(script.read_text()) if script.exists() else {}
        threads, batch = parameters.cpuparams, parameters.cpuparams_batch
        figures = (parameters.n_ctx, threads.n_threads, threads.poll, batch.n_threads, batch.poll)
        self.note(f"start {os.getpid()} {' '.join(map(str, figures))}")
        if "dies" in self.script:
            os.kill(os.getpid(), signal.Signals[self.script["dies"]])
        while "waits" in self.script and not (self.directory / self.script["waits"]).exists():
            time.sleep(0.01)
        if "fails" in self.script:
            raise RuntimeError(self.script["fails"])
        self._slot = threading.Lock()
        server = ThreadingHTTPServer((parameters.hostnames[0], parameters.port), _handler(self))
        server.daemon_threads = True
        self.listening_address = f"http://127.0.0.1:{server.server_port}"
        self.note(f"address {self.listening_address}")
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def note(self, line: str) -> None:
        with (self.directory / "engine.log").open("a") as log:
            log.write(line + "\n")

    def answer(self, handler: BaseHTTPRequestHandler, asked: dict[str, Any]) -> None:
        texts = [message["content"] for message in asked["messages"] if isinstance(message["content"], str)]
        tokens = sum(map(len, texts)) // CHARACTERS_PER_TOKEN
        if tokens >= self.parameters.n_ctx:
            size = self.parameters.n_ctx
            words = f"request ({tokens} tokens) exceeds the available context size ({size} tokens), try increasing it"
            error = {"code": 400, "message": words, "type": "exceed_context_size_error"}
            _send(handler, 400, {"error": {**error, "n_prompt_tokens": tokens, "n_ctx": size}})
            return
        is_free = self._slot.acquire(blocking=False)
        if not is_free:
            self.note("overlap")
            self._slot.acquire()
        # The turn ends before the client hears of the end, and so may ask again.
        try:
            self._stream(handler, asked, texts[-1], tokens)
        except OSError:
            self.note("cancelled")
            handler.close_connection = True
            return
        finally:
            self._slot.release()
        _chunk(handler, b"data: [DONE]\n\n")
        handler.wfile.write(b"0\r\n\r\n")
        # As llama.cpp does: the connection ends, and nothing has said so.
        select.select([handler.connection], [], [])
        handler.close_connection = True

    def _stream(self, handler: BaseHTTPRequestHandler, asked: dict[str, Any], text: str, tokens: int) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        if asked.get("return_progress"):
            progress = {"total": tokens, "cache": 0, "processed": 0, "time_ms": 0}
            _event(handler, {"choices": [_choice({"role": "assistant", "content": None})], "prompt_progress": progress})
        if text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if text == "environment":
            text = json.dumps(sorted(os.environ))
        _event(handler, {"choices": [_choice({"content": f"heard {text}"})]})
        while text == "endless":
            _event(handler, {"choices": [_choice({"content": "."})]})
        _event(handler, {"choices": [_choice({}, "stop")]})
        usage = {"completion_tokens": 2, "prompt_tokens": tokens, "total_tokens": tokens + 2}
        _event(handler, {"choices": [], "usage": usage})


def _choice(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": reason}


def _event(handler: BaseHTTPRequestHandler, chunk: dict[str, Any]) -> None:
    whole = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", **chunk}
    _chunk(handler, b"data: " + json.dumps(whole).encode() + b"\n\n")


def _chunk(handler: BaseHTTPRequestHandler, data: bytes) -> None:
    handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
    handler.wfile.flush()


def _send(handler: BaseHTTPRequestHandler, status: int, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None: ...

        def do_GET(self) -> None:
            if self.path == "/health":
                _send(self, 200, {"status": "ok"})
            else:
                self._refuse_stranger() or _send(self, 404, {"error": {"code": 404, "message": "File Not Found"}})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if not self._refuse_stranger():
                server.answer(self, json.loads(body))

        def _refuse_stranger(self) -> bool:
            is_stranger = self.headers.get("authorization") not in {
                f"Bearer {key}" for key in server.parameters.api_keys
            }
            if is_stranger:
                error = {"message": "Invalid API Key", "type": "authentication_error", "code": 401}
                _send(self, 401, {"error": error})
            return is_stranger

    return Handler
