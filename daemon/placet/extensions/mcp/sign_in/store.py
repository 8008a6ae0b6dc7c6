"""Stored data of the user's sign-in to a server: the tokens, and Placet's registration at the server."""

import json
import math
import time
from typing import Any

from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import ValidationError

from placet.core.executor import in_thread
from placet.extensions.mcp.sign_in.tokens import TokenFile


class SignInStore:
    """The SDK's TokenStorage over the entries of one name and address: another address never gets these tokens."""

    def __init__(self, file: TokenFile, name: str, url: str, *, signs_in: bool = False) -> None:
        self._file = file
        self._name = name
        self._url = url
        self._signs_in = signs_in

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens, or None; an expired token has an empty text, so that the SDK refreshes the token.

        A user who signs in because the token has too few rights gets None here, and thereby a new token.
        """
        entries = await self._read()
        if self._signs_in and "wanted" in entries:
            return None
        tokens = _valid(OAuthToken, entries.get("tokens"))
        if tokens is None or time.time() < entries.get("until", math.inf):
            return tokens
        return tokens.model_copy(update={"access_token": ""})

    async def set_tokens(self, tokens: OAuthToken) -> None:
        until = time.time() + tokens.expires_in if tokens.expires_in is not None else None
        await self._change(tokens=tokens.model_dump(mode="json", exclude_none=True), until=until, wanted=None)

    async def until(self) -> float | None:
        """Return the time at which the token expires, in seconds since 1970, or None if the server gave no time."""
        return (await self._read()).get("until")

    async def want(self, scope: str) -> None:
        """Ask for the scope at the next sign-in."""
        await self._change(wanted=scope)

    async def wanted_scope(self) -> str | None:
        return (await self._read()).get("wanted")

    async def expire(self) -> bool:
        """Mark the token as expired, so that the SDK refreshes the token.

        Returns False if a refresh was tried or is impossible.
        """
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
