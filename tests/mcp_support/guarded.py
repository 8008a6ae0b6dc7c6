"""An MCP server by the SDK, on an address: `python -m mcp_support.guarded PORT [guarded [METHOD]]`.

Guarded, it is its own OAuth authorization server as well: registration, PKCE, refreshing; the user always says yes.
A client `by-hand` with the secret `s:cret` is registered, which its token endpoint takes by METHOD alone.
The tool `rule` needs the scope `ruling`.
"""

import asyncio
import secrets
import sys
import time
from typing import Annotated, Any
from urllib.parse import urlencode

import uvicorn
from mcp.server.auth.provider import AccessToken, AuthorizationCode, AuthorizationParams, RefreshToken
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

PORT = int(sys.argv[1])
ADDRESS = f"http://127.0.0.1:{PORT}"
TOKEN_SECONDS = 3600


DEEP = "deep" in sys.argv
"""Sign-ins fail with a body that is nested as deeply as no reader bears."""
METHOD = sys.argv[3] if len(sys.argv) > 3 and not DEEP else ""


class AnyRedirect(OAuthClientInformationFull):
    """A client that may have the browser come back to any address."""

    def validate_redirect_uri(self, redirect_uri: Any) -> Any:
        return redirect_uri


class Users:
    """Everything in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refreshes: dict[str, RefreshToken] = {}
        if METHOD:
            values = {"client_id": "by-hand", "client_secret": "s:cret", "token_endpoint_auth_method": METHOD}
            # Any port: what the browser comes back to is judged by nobody here.
            client = AnyRedirect.model_validate({**values, "redirect_uris": ["http://127.0.0.1:1/callback"]})
            self.clients["by-hand"] = client

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = secrets.token_urlsafe(16)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return f"{params.redirect_uri}?{urlencode({'code': code, 'state': params.state or ''})}"

    async def load_authorization_code(self, client: Any, authorization_code: str) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        return self._issued(client.client_id, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client: Any, refresh_token: str) -> RefreshToken | None:
        return self.refreshes.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refreshes[refresh_token.token]
        return self._issued(client.client_id, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        access = self.access.get(token)
        return None if access is None or (access.expires_at or 0) < time.time() else access

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.access.pop(token.token, None)

    def _issued(self, client_id: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        until = int(time.time()) + TOKEN_SECONDS + 60  # One that is on its way while it gets old is taken.
        self.access[access] = AccessToken(
            token=access, client_id=client_id, scopes=scopes, expires_at=until, resource=resource
        )
        self.refreshes[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes, resource=resource)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=TOKEN_SECONDS, scope=" ".join(scopes))


class Rights:
    """In front of the server: who calls the tool `rule` needs the scope `ruling` (RFC 6750, section 3.1)."""

    def __init__(self, app: ASGIApp, users: Users) -> None:
        self._app = app
        self._users = users

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await self._answer(scope, receive) if scope["type"] == "http" else None
        await (self._app if answer is None else answer)(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response | None:
        request = Request(scope)
        if request.url.path == "/.well-known/oauth-authorization-server" and METHOD:
            return JSONResponse({**METADATA, "token_endpoint_auth_methods_supported": [METHOD]})
        if request.url.path == "/token" and DEEP:
            return Response('{"error": ' + "[" * 100_000 + "]" * 100_000 + "}", status_code=400)
        if request.headers.get("mcp-name") == "rule":
            token = await self._users.load_access_token(request.headers["authorization"].removeprefix("Bearer "))
            if token is not None and "ruling" not in token.scopes:
                challenge = 'Bearer error="insufficient_scope", scope="ruling"'
                return Response(status_code=403, headers={"WWW-Authenticate": challenge})
        return None


METADATA = {
    "issuer": ADDRESS,
    **{f"{name}_endpoint": f"{ADDRESS}/{path}" for name, path in (("authorization", "authorize"), ("token", "token"))},
    "registration_endpoint": f"{ADDRESS}/register",
    "response_types_supported": ["code"],
    "code_challenge_methods_supported": ["S256"],
}
USERS = Users()


def made() -> MCPServer:
    if "guarded" not in sys.argv:
        return MCPServer("modern")
    users = USERS
    auth = AuthSettings.model_validate(
        {
            "issuer_url": ADDRESS,
            "resource_server_url": f"{ADDRESS}/mcp",
            "client_registration_options": ClientRegistrationOptions(enabled=True, default_scopes=["ruling"]),
        }
    )

    server = MCPServer("guarded", auth_server_provider=users, auth=auth)  # type: ignore[arg-type]

    @server.tool()
    def registered() -> int:
        """How many clients have registered."""
        return len(users.clients)

    @server.tool()
    def rule() -> str:
        """Do what needs the scope `ruling`."""
        return "ruled"

    @server.tool()
    def revoke() -> str:
        """Take no token any more that was given so far."""
        users.access.clear()
        return "revoked"

    return server


SERVER = made()


class Person(BaseModel):
    name: str


@SERVER.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


async def who() -> Elicit[Person]:
    return Elicit("Who is there?", Person)


@SERVER.tool()
async def greet(person: Annotated[Person, Resolve(who)]) -> str:
    """Greet whoever is there."""
    return f"Hello {person.name}"


@SERVER.tool()
async def count(context: Context) -> str:
    """Count to three."""
    for number in range(1, 4):
        await context.report_progress(number, 3, f"{number}")
    return "counted"


@SERVER.tool()
async def grow(context: Context) -> str:
    """Have one more tool."""

    @SERVER.tool()
    def grown() -> str:
        """A tool that was not there."""
        return "grown"

    await context.notify_tools_changed()
    return "growing"


if __name__ == "__main__":
    app = Rights(SERVER.streamable_http_app(), USERS)
    asyncio.run(uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=PORT, access_log=False)).serve())
