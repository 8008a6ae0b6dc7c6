# pyright: basic
# litellm is not typed strictly.
"""The requests of both ways for one ask: litellm's, caught below litellm, and the direct way's. No network."""

import json
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any
from unittest.mock import patch

import httpx
import msgspec

from placet.model import frames
from placet.model.host import host_environment
from placet.model.host.conversations import Conversation
from placet.model.host.direct.answer import request_of
from placet.model.host.direct.routes import route

NEVER_COMPARED = {
    "host": "follows from the address",
    "content-length": "follows from the body",
    "connection": "belongs to the client",
    "user-agent": "names the client",
    "accept": "both ways take what comes",
    "accept-encoding": "names the encodings which the client reads",
}
"""Headers which the two HTTP clients set by themselves, with the reason why no provider answers otherwise."""
SDK_HEADERS = "x-stainless-"
"""OpenAI's SDK describes itself and the machine in headers with this beginning."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Request as a provider gets the request."""

    method: str
    url: str
    headers: dict[str, str]
    body: Any
    """Body, decoded from JSON."""


class NothingSent(Exception):
    """Raised when litellm fails before a request."""


async def litellm_sends(ask: frames.Ask, environment: Mapping[str, str]) -> Sent:
    """Return the request that litellm sends for the ask. Raises NothingSent."""
    # litellm may change the tools and the options in place.
    own = msgspec.msgpack.decode(msgspec.msgpack.encode(ask), type=frames.Ask)
    async with _caught(environment) as requests:
        from placet.model.host.compatible.answer import CompatibleAnswer

        answer = CompatibleAnswer(own, _conversation(own))
        try:
            await answer.begin()
            if not requests:
                # Gemini is asked only when somebody reads the answer.
                await anext(aiter(answer.read()), None)
        except Exception as error:
            if not requests:
                raise NothingSent(f"{type(error).__name__}: {error}") from error
        finally:
            await answer.close()
    if not requests:
        raise NothingSent("litellm asked by a way of its own")
    request = requests[-1]
    return _sent(request.method, str(request.url), request.headers, request.content)


def we_send(ask: frames.Ask, environment: Mapping[str, str]) -> Sent:
    """Return the request that the direct way sends for the ask. Raises NotDirect."""
    request = request_of(route(ask, environment), ask, _conversation(ask))
    return _sent("POST", str(httpx.URL(request.url)), request.headers, request.body)


def compare(ours: Sent, theirs: Sent) -> None:
    """Fail with each place in which the two requests differ, with what we send and what litellm sends."""
    if found := list(_differences("", msgspec.to_builtins(ours), msgspec.to_builtins(theirs))):
        raise AssertionError("\n".join(found))


def _differences(place: str, ours: Any, theirs: Any) -> Iterator[str]:
    match ours, theirs:
        case dict(), dict():
            for name in dict.fromkeys((*ours, *theirs)):
                yield from _differences(f"{place}.{name}", ours.get(name, ABSENT), theirs.get(name, ABSENT))
        case list(), list():
            for number, (one, other) in enumerate(zip_longest(ours, theirs, fillvalue=ABSENT)):
                yield from _differences(f"{place}[{number}]", one, other)
        case _ if ours != theirs:
            yield f"{place}: we send {ours!r}, litellm sends {theirs!r}"


ABSENT = "(nothing)"


def _conversation(ask: frames.Ask) -> Conversation:
    return Conversation().going_on(0, ask.messages)


def _sent(method: str, url: str, headers: Mapping[str, str], body: bytes) -> Sent:
    compared = {name.lower(): value for name, value in headers.items()}
    compared = {name: value for name, value in compared.items() if not _is_left_out(name)}
    return Sent(method, url, compared, json.loads(body))


def _is_left_out(header: str) -> bool:
    return header in NEVER_COMPARED or header.startswith(SDK_HEADERS)


@asynccontextmanager
async def _caught(environment: Mapping[str, str]) -> AsyncIterator[list[httpx.Request]]:
    """Let litellm's requests come here, and litellm see this environment and no other."""
    requests: list[httpx.Request] = []
    with patch.dict(os.environ, dict(environment), clear=True):
        host_environment.configure_litellm()
        # The import takes seconds, and the collection of the tests need not wait for litellm.
        from placet.model.host.compatible import answer
        from placet.model.host.compatible.transport import TRANSPORT, takes_client

        def takes(provider: str) -> bool:
            """Let litellm use the transport for Gemini too, where litellm has a client of its own otherwise."""
            return provider == "gemini" or takes_client(provider)

        with (
            patch.object(TRANSPORT, "_inner", _CatchingTransport(requests)),
            patch.object(answer, "takes_client", takes),
        ):
            yield requests


class _CatchingTransport(httpx.AsyncBaseTransport):
    def __init__(self, requests: list[httpx.Request]) -> None:
        self._requests = requests

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self._requests.append(request)
        headers = {"content-type": "text/event-stream"}
        return httpx.Response(200, headers=headers, content=b"data: [DONE]\n\n", request=request)
