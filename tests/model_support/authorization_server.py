"""An authorization server on 127.0.0.1: a code for tokens, and a refresh token, once, for the next ones."""

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from model_support.app_server import AppServer

CODE = "code-4711-of-the-user"


class AuthorizationServer(AppServer):
    """`granted` are the requests that were answered with tokens; `access-1-…` is the first token."""

    def __init__(self, lasts_seconds: float = 3600) -> None:
        self.lasts_seconds = lasts_seconds
        self.granted: list[Mapping[str, str]] = []
        self.is_shut = False
        """It refuses whatever it is asked, and repeats it."""

    def access(self, number: int) -> str:
        return f"access-{number}-of-gateway"

    def refresh(self, number: int) -> str:
        return f"refresh-{number}-of-gateway"

    def route(self, application: web.Application) -> None:
        application.router.add_post("/token", self._token)

    async def _token(self, request: web.Request) -> web.Response:
        form: dict[str, Any] = {name: str(value) for name, value in (await request.post()).items()}
        match form:
            case _ if self.is_shut:
                return web.json_response({"error": f"no more of {form}"}, status=400)
            case {"grant_type": "authorization_code", "code": code} if code == CODE:
                pass
            case {"grant_type": "refresh_token", "refresh_token": token} if token == self.refresh(len(self.granted)):
                pass
            case _:
                return web.json_response({"error": "invalid_grant"}, status=400)
        self.granted.append(form)
        number = len(self.granted)
        return web.json_response(
            {
                "access_token": self.access(number),
                "refresh_token": self.refresh(number),
                "expires_in": self.lasts_seconds,
            }
        )
