"""Redirect address of a sign-in: a port of 127.0.0.1, open only during the sign-in (RFC 8252, section 7.3)."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from urllib.parse import parse_qs, parse_qsl, urlsplit

from mcp.shared.auth import AuthorizationCodeResult

from placet.extensions.mcp.errors import Gone, in_one_line

PATH = "/callback"
MOST_REQUEST_BYTES = 16_384
PAGE = "<!doctype html><meta charset=utf-8><title>Placet</title><p>{}</p><p>You can close this page.</p>"


class Callback:
    """Listener on 127.0.0.1 for the browser's redirect at the end of a sign-in."""

    def __init__(self) -> None:
        self._answer: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()
        self._state = ""
        self.port = 0
        self.is_open = False

    @property
    def is_over(self) -> bool:
        return self._answer.done()

    def expect(self, address: str) -> None:
        """Accept from now on only the answer to the sign-in that begins at the address (RFC 6749, 10.12)."""
        self._state = dict(parse_qsl(urlsplit(address).query)).get("state", "")
        if self._answer.done():
            self._answer = asyncio.get_running_loop().create_future()

    async def result(self) -> AuthorizationCodeResult:
        """Return the browser's answer. Raises Gone when the user was refused, or has refused."""
        return await self._answer

    @asynccontextmanager
    async def open(self, port: int, *, is_fixed: bool = False) -> AsyncGenerator[None]:
        """Listen on the port if the port is free, or else on any. Raises OSError if the port is fixed and not free."""
        try:
            server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        except OSError:
            if is_fixed:
                raise
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            self.is_open = True
            try:
                yield
            finally:
                self.is_open = False
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
            status, words = "400 Bad Request", "This is not an answer to a sign-in."
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
            return "404 Not Found", "This page does not exist."
        if self._answer.done():
            return "400 Bad Request", "This sign-in is over."
        if not self._state or not secrets.compare_digest(query.get("state", "").encode(), self._state.encode()):
            return "400 Bad Request", "This is not an answer to your sign-in."
        if "code" in query:
            self._answer.set_result(
                AuthorizationCodeResult(code=query["code"], state=query.get("state"), iss=query.get("iss"))
            )
            return "200 OK", "You are signed in. Placet continues."
        why = ": ".join(query[key] for key in ("error", "error_description") if key in query)
        self._answer.set_exception(Gone(f"The sign-in was rejected: {in_one_line(why)}"))
        return "200 OK", "The sign-in was rejected."
