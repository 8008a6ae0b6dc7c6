"""A server on 127.0.0.1 that plays a provider with a wire of its own: it answers in recorded shapes, as they are."""

import binascii
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from model_support.app_server import AppServer


@dataclass(frozen=True, slots=True)
class Reply:
    body: bytes
    content_type: str = "text/event-stream"
    status: int = 200


@dataclass(slots=True)
class Asked:
    path: str
    body: dict[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


class ProviderServer(AppServer):
    """Answers POST with the replies in order, and GET by path; keeps what it was asked."""

    def __init__(self, *replies: Reply, pages: Mapping[str, Reply] | None = None) -> None:
        self.replies = list(replies)
        self.pages = dict(pages or {})
        self.asked: list[Asked] = []

    def route(self, application: web.Application) -> None:
        application.router.add_post("/{path:.*}", self._post)
        application.router.add_get("/{path:.*}", self._get)

    async def _post(self, request: web.Request) -> web.Response:
        self.asked.append(Asked(request.path_qs, await request.json(), dict(request.headers)))
        if (page := self.pages.get(request.path)) is not None:
            return _response(page)
        return _response(self.replies.pop(0) if self.replies else json_reply({"error": "nothing more"}, 500))

    async def _get(self, request: web.Request) -> web.Response:
        return _response(self.pages.get(request.path) or json_reply({"error": "no such page"}, 404))


def _response(reply: Reply) -> web.Response:
    return web.Response(body=reply.body, content_type=reply.content_type, status=reply.status)


def json_reply(value: object, status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode(), "application/json", status)


def event_stream(events: Sequence[Mapping[str, Any]], *, ends: bytes = b"") -> Reply:
    """Server-sent events."""
    return Reply(b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + ends)


def json_lines(events: Sequence[Mapping[str, Any]]) -> Reply:
    """One object a line, as Ollama sends them."""
    return Reply(b"".join(json.dumps(event).encode() + b"\n" for event in events), "application/x-ndjson")


def amazon_events(events: Sequence[tuple[str, Mapping[str, Any]]]) -> Reply:
    """Amazon's binary event stream; the type of each event, and its JSON."""
    body = b"".join(_amazon_event(kind, json.dumps(value).encode()) for kind, value in events)
    return Reply(body, "application/vnd.amazon.eventstream")


def _amazon_event(kind: str, payload: bytes) -> bytes:
    named = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in named.items()
    )
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack("!I", binascii.crc32(prelude))
    message = prelude + headers + payload
    return message + struct.pack("!I", binascii.crc32(message))
