"""Sign-in to a server: OAuth with dynamic registration and PKCE by the SDK; tokens are stored like keys."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.auth.oauth2 import OAuthContext
from mcp.client.auth.utils import union_scopes
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthMetadata

from placet.core.errors import PlacetError, SettingsError
from placet.core.json.shallow import loads
from placet.extensions.mcp.errors import Gone, NeedsSignIn, in_one_line
from placet.extensions.mcp.sign_in.callback import PATH, Callback
from placet.extensions.mcp.sign_in.statuses import Statuses
from placet.extensions.mcp.sign_in.store import SignInStore
from placet.extensions.mcp.sign_in.tokens import TokenFile
from placet.settings import McpAuthorization, McpServerSettings

_BASIC = "client_secret_basic"

ShowAddress = Callable[[str], Awaitable[None]]
"""Function that lets the user open an address."""

MoreRights = Callable[[str, str, Awaitable[AuthorizationCodeResult]], Awaitable[AuthorizationCodeResult]]
"""Function that lets the user grant a scope at an address, within the call that needs the scope.

Waits for the browser. Raises PlacetError where the user declines, or where no user can be asked.
"""


@dataclass(frozen=True, slots=True)
class SignIn:
    """Present user for a sign-in."""

    show: ShowAddress
    callback: Callback


async def authorization(
    name: str,
    settings: McpServerSettings,
    tokens: Path,
    sign_in: SignIn | None,
    statuses: Statuses,
    more_rights: MoreRights,
) -> httpx2.Auth | None:
    """Return the object that adds the user's token to each request.

    Returns None if OAuth is off, or without both a token and `sign_in`. `more_rights` is used where the server wants a
    scope that the token does not have (`insufficient_scope`). Raises Gone where stored tokens cannot be read.
    """
    assert settings.url is not None
    if settings.oauth is False:
        return None
    store = SignInStore(TokenFile(tokens), name, settings.url, signs_in=sign_in is not None)
    try:
        has_token = await store.get_tokens() is not None
    except SettingsError as error:
        raise Gone(str(error)) from error
    if not has_token and sign_in is None:
        return None
    own = settings.oauth if isinstance(settings.oauth, McpAuthorization) else McpAuthorization()
    client = await store.get_client_info()
    port = sign_in.callback.port if sign_in is not None else _port_of(client)
    redirect = f"http://127.0.0.1:{port}{PATH}"
    if own.client_id is not None:
        secret = own.client_secret.get_secret_value() if own.client_secret is not None else None
        await store.set_client_info(_registered(own.client_id, secret, redirect, client))
    elif client is not None and sign_in is not None and _port_of(client) != port:
        await store.forget_client()  # The client was registered with another port.
    handlers = _Redirects(name, own, port, store, sign_in, statuses, more_rights)
    provider = handlers.provider(settings.url, redirect)
    # The SDK does not know the age of a stored token, and would have the token refused before the refresh.
    provider.context.token_expiry_time = await store.until()
    return _Authorized(provider, statuses)


class _Redirects:
    """Redirects of the SDK's sign-in to the user's browser, and back; lives as long as the SDK's provider."""

    def __init__(
        self,
        name: str,
        own: McpAuthorization,
        port: int,
        store: SignInStore,
        sign_in: SignIn | None,
        statuses: Statuses,
        more_rights: MoreRights,
    ) -> None:
        self._name = name
        self._own = own
        self._port = port
        self._store = store
        self._sign_in = sign_in
        self._statuses = statuses
        self._more_rights = more_rights
        self._answer: AuthorizationCodeResult | None = None
        self._granted: set[str | None] = set()

    def provider(self, url: str, redirect: str) -> OAuthClientProvider:
        """Return the SDK's provider for the server at `url`; `redirect` is the address to come back to."""
        metadata = OAuthClientMetadata.model_validate(
            {
                "redirect_uris": [redirect],
                "client_name": "Placet",
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "scope": self._own.scope,
                "token_endpoint_auth_method": "none",
            }
        )

        async def show(address: str) -> None:
            self._answer = await self._ask(address, provider.context)

        provider = OAuthClientProvider(
            url, metadata, self._store, redirect_handler=show, callback_handler=self._come_back
        )
        return provider

    async def _come_back(self) -> AuthorizationCodeResult:
        assert self._answer is not None
        return self._answer

    async def _ask(self, address: str, context: OAuthContext) -> AuthorizationCodeResult:
        """Return the browser's answer. Raises _NotGranted, Gone and NeedsSignIn."""
        is_step_up = self._statuses.last == 403
        await self._choose_auth_method(context)
        scope = await self._choose_scope(context, is_step_up=is_step_up)
        address = _with_scope(address, scope)
        if is_step_up and scope in self._granted:
            raise _NotGranted(
                f"The MCP server {self._name} does not say which rights this needs beside {scope or 'none'}."
            )
        self._granted.add(scope)
        sign_in = self._sign_in
        if sign_in is not None and sign_in.callback.is_open and (is_step_up or not sign_in.callback.is_over):
            sign_in.callback.expect(address)
            await sign_in.show(address)
            return await sign_in.callback.result()
        if is_step_up:
            return await _granted(self._name, address, scope or "", self._port, self._store, self._more_rights)
        if await self._store.expire():
            raise Gone(f"The MCP server {self._name} does not take the token any more; it is tried to get another.")
        raise NeedsSignIn(f"Your sign-in to the MCP server {self._name} has ended: `placet mcp auth {self._name}`.")

    async def _choose_auth_method(self, context: OAuthContext) -> None:
        """Set the method for the client's secret by the server's metadata, for a client without a method."""
        client = context.client_info
        if client is not None and (self._own.client_id is not None or client.token_endpoint_auth_method is None):
            context.client_info = _with_auth_method(client, context.oauth_metadata)
            await self._store.set_client_info(context.client_info)

    async def _choose_scope(self, context: OAuthContext, *, is_step_up: bool) -> str | None:
        """Set and return the scope: the server's for a step up, else the setting's, with the wanted scopes."""
        asked = context.client_metadata.scope if is_step_up else self._own.scope or context.client_metadata.scope
        scope = context.client_metadata.scope = union_scopes(asked, await self._store.wanted_scope())
        return scope


async def known_port(name: str, url: str, tokens: Path) -> int:
    """Return the port of the last redirect, under which Placet is registered at the server, or 0 if none is known."""
    return _port_of(await SignInStore(TokenFile(tokens), name, url).get_client_info())


class _NotGranted(Gone):
    """Error when the user did not grant the rights for a request; the connection goes on with the present rights."""


class _Authorized(httpx2.Auth):
    """Wrapper of the SDK's provider: notes why a sign-in failed, because the SDK loses the reason on the way."""

    requires_response_body = True

    def __init__(self, provider: OAuthClientProvider, statuses: Statuses) -> None:
        self._provider = provider
        self._statuses = statuses

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        flow = self._provider.async_auth_flow(request)
        try:
            outgoing = await anext(flow)
            while True:
                outgoing = await flow.asend((yield outgoing))
        except StopAsyncIteration:
            return
        except _NotGranted as error:
            self._statuses.note_trouble(str(error))
        except (OAuthFlowError, Gone) as error:
            self._statuses.note_trouble(_reason(error))
            raise
        finally:
            await flow.aclose()
        yield request  # Refused as before, which ends this request alone.


async def _granted(
    name: str, address: str, scope: str, port: int, store: SignInStore, more_rights: MoreRights
) -> AuthorizationCodeResult:
    """Return the browser's answer from the user who grants the scope. Raises _NotGranted."""
    callback = Callback()
    callback.expect(address)
    try:
        async with callback.open(port, is_fixed=True):
            return await more_rights(address, scope, callback.result())
    except (PlacetError, OSError) as error:
        await store.want(scope)
        message = f"This needs more rights at the MCP server {name} ({scope}), which were not granted: {error}"
        raise _NotGranted(f"{message} `placet mcp auth {name}` asks for them.") from error


def _port_of(client: OAuthClientInformationFull | None) -> int:
    uris = (client.redirect_uris or []) if client is not None else []
    return urlsplit(str(uris[0])).port or 0 if uris else 0


def _registered(
    client_id: str, secret: str | None, redirect: str, registered: OAuthClientInformationFull | None
) -> OAuthClientInformationFull:
    """Return the client that the user registered by hand, with the method by which the secret was sent before."""
    before = (
        registered.token_endpoint_auth_method if registered is not None and registered.client_id == client_id else None
    )
    return OAuthClientInformationFull.model_validate(
        {
            "client_id": client_id,
            "client_secret": secret,
            "redirect_uris": [redirect],
            "token_endpoint_auth_method": (before or _BASIC) if secret else "none",
        }
    )


def _with_auth_method(client: OAuthClientInformationFull, server: OAuthMetadata | None) -> OAuthClientInformationFull:
    """Return the client with the token endpoint's method for the secret: basic by default (RFC 8414)."""
    if client.client_secret is None:
        return client
    methods = (server.token_endpoint_auth_methods_supported if server is not None else None) or [_BASIC]
    method = next((candidate for candidate in (_BASIC, "client_secret_post", "none") if candidate in methods), _BASIC)
    return client.model_copy(update={"token_endpoint_auth_method": method})


def _with_scope(address: str, scope: str | None) -> str:
    """Return the address of the authorization request with the scope; without a scope the address stays the same."""
    if not scope:
        return address
    parts = urlsplit(address)
    query = {**dict(parse_qsl(parts.query, keep_blank_values=True)), "scope": scope}
    return parts._replace(query=urlencode(query)).geturl()


def _reason(error: Exception) -> str:
    """Return the authorization server's reason (RFC 6749, section 5.2), or else the SDK's reason, in one line."""
    text = str(error)
    head, brace, body = text.partition("{")
    try:
        answer = loads(brace + body)
    except ValueError:
        return in_one_line(text)
    reasons = [str(answer[key]) for key in ("error", "error_description") if answer.get(key)]
    return in_one_line(f"{head.strip()} {': '.join(reasons)}" if reasons else text)
