"""Stand-in for an Ollama server: it keeps to Ollama's published interface, and cuts as different versions cut."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from model_support.app_server import AppServer

FIELDS = frozenset(
    {"model", "messages", "tools", "stream", "format", "options", "keep_alive", "think", "truncate", "shift"}
)
"""Fields of a request to `/api/chat`: https://docs.ollama.com/api/chat; `truncate` and `shift` are in its source."""
MODEL = "qwen3:8b"
QWEN: Mapping[str, Any] = {
    "general.architecture": "qwen3",
    "qwen3.context_length": 40_960,
    "qwen3.block_count": 36,
    "qwen3.attention.head_count": 32,
    "qwen3.attention.head_count_kv": 8,
    "qwen3.attention.key_length": 128,
    "qwen3.attention.value_length": 128,
    "qwen3.embedding_length": 4096,
}


class OllamaServer(AppServer):
    """Serves one model; a token is four characters of the messages and tools.

    `heeds_size`: a request's `num_ctx` counts; otherwise the size stays. `refuses`: a request with `truncate: false`
    that is too long fails, as with the Ollama of 2026; otherwise its beginning is dropped without a word.
    """

    def __init__(
        self,
        size: int = 4096,
        *,
        heeds_size: bool = True,
        refuses: bool = True,
        shown: Mapping[str, Any] | None = None,
    ) -> None:
        self.size = size
        self.heeds_size = heeds_size
        self.refuses = refuses
        self.shown = shown if shown is not None else {"capabilities": ["completion", "tools"], "model_info": QWEN}
        self.is_loaded = False
        self.requests: list[dict[str, Any]] = []
        """Bodies of all requests for an answer."""
        self.cuts = 0
        """Number of requests of which a part was dropped."""
        self.texts = ["hi"]
        """Answers in order; the last one again and again."""

    def route(self, application: web.Application) -> None:
        application.router.add_get("/v1/models", self._models)
        application.router.add_get("/api/ps", self._loaded)
        application.router.add_post("/api/show", self._show)
        application.router.add_post("/api/chat", self._chat)

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "library"}]})

    async def _loaded(self, request: web.Request) -> web.Response:
        loaded = {"name": MODEL, "model": MODEL, "context_length": self.size}
        return web.json_response({"models": [loaded] if self.is_loaded else []})

    async def _show(self, request: web.Request) -> web.Response:
        assert await request.json() == {"model": MODEL}
        return web.json_response(dict(self.shown))

    async def _chat(self, request: web.Request) -> web.Response:
        body: dict[str, Any] = await request.json()
        assert body.keys() <= FIELDS, body.keys()
        self.requests.append(body)
        asked_size = body.get("options", {}).get("num_ctx")
        if self.heeds_size and asked_size:
            self.size = asked_size
        self.is_loaded = True
        tokens = len(json.dumps([body["messages"], body.get("tools", [])], ensure_ascii=False)) // 4
        if tokens > self.size:
            if self.refuses and body.get("truncate") is False:
                inner = {
                    "code": 400,
                    "type": "exceed_context_size_error",
                    "n_ctx": self.size,
                    "n_prompt_tokens": tokens,
                }
                inner["message"] = f"request ({tokens} tokens) exceeds the available context size ({self.size} tokens)"
                return web.json_response({"error": json.dumps({"error": inner})}, status=400)
            self.cuts += 1
            tokens = self.size // 2
        text = self.texts.pop(0) if len(self.texts) > 1 else self.texts[0]
        lines = [
            {"model": MODEL, "message": {"role": "assistant", "content": text}, "done": False},
            {
                "model": MODEL,
                "message": {"role": "assistant", "content": ""},
                "done": True,
                "done_reason": "stop",
                "prompt_eval_count": tokens,
                "eval_count": len(text) // 4 + 1,
            },
        ]
        stream = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        return web.Response(body=stream, content_type="application/x-ndjson")
