"""Signing in to a server: OAuth with dynamic registration and PKCE, which the SDK does; tokens kept like keys are.

The browser comes back to a port of 127.0.0.1 that is open only as long as that takes (RFC 8252, section 7.3).
"""

import asyncio
import json
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import ValidationError

from placet.errors import SettingsError
from placet.extensions.mcp.faults import Gone, NeedsSignIn
from placet.extensions.mcp.tokens import TokenFile
from placet.project.executor import in_thread
from placet.settings import McpAuthorization, McpServerSettings

PATH = "/callback"
MOST_REQUEST_BYTES = 16_384
PAGE = "<!doctype html><meta charset=utf-8><title>Placet</title><p>{}</p><p>You can close this page.</p>"

ShowAddress = Callable[[str], Awaitable[None]]
"""Lets the user open an address."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """A user who is there to sign in."""

    show: ShowAddress
    callback: "Callback"


async def authorization(
    name: str, settings: McpServerSettings, tokens: Path, sign_in: SignIn | None
) -> httpx2.Auth | None:
    """What adds the user's token to each request; None where there is none and the user is not asked for one.

    Raises Gone where tokens are kept that cannot be read.
    """
    assert settings.url is not None
    if settings.oauth is False:
        return None
    kept = _Kept(TokenFile(tokens), name, settings.url)
    try:
        has_token = await kept.get_tokens() is not None
    except SettingsError as error:
        raise Gone(str(error)) from error
    if not has_token and sign_in is None:
        return None
    own = settings.oauth if isinstance(settings.oauth, McpAuthorization) else McpAuthorization()
    known = await kept.get_client_info()
    port = sign_in.callback.port if sign_in is not None else _port_of(known)
    redirect = f"http://127.0.0.1:{port}{PATH}"
    if own.client_id is not None:
        secret = own.client_secret.get_secret_value() if own.client_secret is not None else None
        await kept.set_client_info(_registered(own.client_id, secret, redirect))
    elif known is not None and sign_in is not None and _port_of(known) != port:
        await kept.forget_client()  # It was registered with another port.
    metadata = OAuthClientMetadata.model_validate(
        {
            "redirect_uris": [redirect],
            "client_name": "Placet",
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "scope": own.scope,
            "token_endpoint_auth_method": "none",
        }
    )

    async def show(address: str) -> None:
        if sign_in is not None and not sign_in.callback.is_over:
            await sign_in.show(address)
            return
        if await kept.expire():
            raise Gone(f"The MCP server {name} does not take the token any more; it is tried to get another.")
        raise NeedsSignIn(f"Your sign-in to the MCP server {name} has ended: `placet mcp auth {name}`.")

    async def come_back() -> AuthorizationCodeResult:
        assert sign_in is not None
        return await sign_in.callback.result()

    provider = OAuthClientProvider(settings.url, metadata, kept, redirect_handler=show, callback_handler=come_back)
    # The SDK does not know how old a token is that was kept, and would have it refused before it is refreshed.
    provider.context.token_expiry_time = await kept.until()
    return provider


async def known_port(name: str, url: str, tokens: Path) -> int:
    """Where the browser came back to last time, for which Placet is registered there; 0 where it never did."""
    return _port_of(await _Kept(TokenFile(tokens), name, url).get_client_info())


class Callback:
    """Where the browser comes back to."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()
        self.port = 0

    @property
    def is_over(self) -> bool:
        return self._answer.done()

    async def result(self) -> AuthorizationCodeResult:
        """What it brings. Raises Gone when the user was refused, or has refused."""
        return await self._answer

    @asynccontextmanager
    async def open(self, port: int) -> AsyncGenerator[None]:
        """Listen, on that port if it is free or else on any."""
        try:
            server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        except OSError:
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield
        if self._answer.done():
            self._answer.exception()
        else:
            self._answer.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                request = await reader.readuntil(b"\r\n\r\n")
            target = request[:MOST_REQUEST_BYTES].split(b" ")[1].decode("ascii")
            status, words = self._take(target)
        except (OSError, ValueError, IndexError, TimeoutError, EOFError, asyncio.LimitOverrunError):
            status, words = "400 Bad Request", "This is no answer to a sign-in."
        body = PAGE.format(words).encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        with suppress(OSError):
            writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
            await writer.drain()
            writer.close()
            await writer.wait_closed()

    def _take(self, target: str) -> tuple[str, str]:
        address = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        if address.path != PATH or not ({"code", "error"} & query.keys()):
            return "404 Not Found", "There is nothing here."
        if self._answer.done():
            return "400 Bad Request", "This sign-in is over."
        if "code" in query:
            self._answer.set_result(
                AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))
            )
            return "200 OK", "You are signed in. Placet goes on."
        why = query.get("error_description") or query["error"]
        self._answer.set_exception(Gone(f"The sign-in was refused: {why[:200]}"))
        return "200 OK", "The sign-in was refused."


class _Kept:
    """The SDK's TokenStorage, by what is kept for one name and address: another address never gets these tokens."""

    def __init__(self, file: TokenFile, name: str, url: str) -> None:
        self._file = file
        self._name = name
        self._url = url

    async def get_tokens(self) -> OAuthToken | None:
        """One that is too old is given without its text: so the SDK sees that it has to be refreshed."""
        entries = await self._read()
        tokens = _valid(OAuthToken, entries.get("tokens"))
        if tokens is None or time.time() < entries.get("until", math.inf):
            return tokens
        return tokens.model_copy(update={"access_token": ""})

    async def set_tokens(self, tokens: OAuthToken) -> None:
        until = time.time() + tokens.expires_in if tokens.expires_in is not None else None
        await self._change(tokens=tokens.model_dump(mode="json", exclude_none=True), until=until)

    async def until(self) -> float | None:
        """When the token gets too old, in seconds since 1970; None where nobody has said so."""
        return (await self._read()).get("until")

    async def expire(self) -> bool:
        """The token is not taken any more: have it refreshed. False if that was tried, or cannot be."""
        entries = await self._read()
        tokens = _valid(OAuthToken, entries.get("tokens"))
        if tokens is None or tokens.refresh_token is None or entries.get("until") == 0:
            return False
        await self._change(until=0)
        return True

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return _valid(OAuthClientInformationFull, (await self._read()).get("client"))

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        await self._change(client=client_info.model_dump(mode="json", exclude_none=True))

    async def forget_client(self) -> None:
        await self._change(client=None)

    async def _read(self) -> dict[str, Any]:
        text = await in_thread(self._file.read, self._name, self._url)
        return {} if text is None else json.loads(text)

    async def _change(self, **changed: Any) -> None:
        entries = {name: value for name, value in {**await self._read(), **changed}.items() if value is not None}
        await in_thread(self._file.keep, self._name, self._url, json.dumps(entries))


def _valid(model: Any, value: Any) -> Any:
    try:
        return None if value is None else model.model_validate(value)
    except ValidationError:
        return None


def _port_of(client: OAuthClientInformationFull | None) -> int:
    uris = (client.redirect_uris or []) if client is not None else []
    return urlsplit(str(uris[0])).port or 0 if uris else 0


def _registered(client_id: str, secret: str | None, redirect: str) -> OAuthClientInformationFull:
    return OAuthClientInformationFull.model_validate(
        {
            "client_id": client_id,
            "client_secret": secret,
            "redirect_uris": [redirect],
            "token_endpoint_auth_method": "client_secret_post" if secret else "none",
        }
    )
