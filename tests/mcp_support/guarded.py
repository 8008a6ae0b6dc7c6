"""An MCP server by the SDK, on an address: `python -m mcp_support.guarded PORT [guarded]`.

Guarded, it is its own OAuth authorization server as well: registration, PKCE, refreshing; the user always says yes.
"""

import asyncio
import secrets
import sys
import time
from typing import Annotated, Any
from urllib.parse import urlencode

from mcp.server.auth.provider import AccessToken, AuthorizationCode, AuthorizationParams, RefreshToken
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import BaseModel

PORT = int(sys.argv[1])
ADDRESS = f"http://127.0.0.1:{PORT}"
TOKEN_SECONDS = 2
"""Tokens are old soon, so that they have to be refreshed."""


class Users:
    """Everything in memory."""

    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refreshes: dict[str, RefreshToken] = {}

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
        found = self.access.get(token)
        return None if found is None or (found.expires_at or 0) < time.time() else found

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


def made() -> MCPServer:
    if "guarded" not in sys.argv:
        return MCPServer("modern")
    users = Users()
    auth = AuthSettings.model_validate(
        {
            "issuer_url": ADDRESS,
            "resource_server_url": f"{ADDRESS}/mcp",
            "client_registration_options": ClientRegistrationOptions(enabled=True),
        }
    )

    server = MCPServer("guarded", auth_server_provider=users, auth=auth)  # type: ignore[arg-type]

    @server.tool()
    def registered() -> int:
        """How many clients have registered."""
        return len(users.clients)

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
    asyncio.run(SERVER.run_streamable_http_async(port=PORT))
