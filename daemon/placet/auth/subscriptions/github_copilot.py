"""Sign-in with GitHub Copilot: GitHub's device flow (RFC 8628), and GitHub's exchange for a short-lived token.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

import re
import time
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

from placet import __version__
from placet.auth.keys import JsonObject
from placet.auth.subscriptions.device_code import USUAL_INTERVAL_SECONDS, Clock, DeviceCode, Pending, wait_for_user
from placet.auth.subscriptions.requests import Reply, Send, SubscriptionFailed, post_json, seconds, text
from placet.auth.subscriptions.subscription import SubscriptionTokens

CLIENT_ID = "Iv1.b507a08c87ecfe98"
"""Client id of GitHub's own Copilot plugin for Vim, which litellm and other agents use too."""

EDITOR_HEADERS = {"editor-version": f"Placet/{__version__}", "editor-plugin-version": f"Placet/{__version__}"}
"""Headers which name the client; GitHub refuses a request without them."""

_CODE_SECONDS = 15 * 60.0
_USUAL_TOKEN_SECONDS = 25 * 60.0
_HOST = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")
_NO_PLAN = "Check that the account has a Copilot plan: https://github.com/settings/copilot."
_REFUSALS = {
    "access_denied": "The sign-in was refused on GitHub's page.",
    "expired_token": "The code has run out before it was entered. Begin the sign-in again.",
    "device_flow_disabled": "The client id does not allow a sign-in by code.",
    "incorrect_client_credentials": "GitHub does not know the client id.",
}


class GitHubCopilot:
    """Subscription of GitHub Copilot: placet.auth.subscriptions.subscription.Subscription."""

    provider = "github_copilot"
    title = "GitHub Copilot"

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Create the subscription. `environment` may name another client id and other addresses, as litellm does."""
        self._environment = environment
        self._client_id = environment.get("GITHUB_COPILOT_CLIENT_ID") or CLIENT_ID

    async def begin(self, send: Send, host: str) -> DeviceCode:
        asked = {"client_id": self._client_id, "scope": "read:user"}
        reply = await post_json(send, self._address("DEVICE_CODE", host), asked)
        values = reply.object()
        device_code, user_code = text(values, "device_code"), text(values, "user_code")
        address = text(values, "verification_uri")
        if not reply.is_fine or not device_code or not user_code or not address.startswith(("https://", "http://")):
            raise SubscriptionFailed(_REFUSALS.get(text(values, "error")) or f"GitHub gave no code: {reply.reason()}.")
        interval = seconds(values.get("interval"), USUAL_INTERVAL_SECONDS)
        lasts = seconds(values.get("expires_in"), _CODE_SECONDS)
        return DeviceCode(address, user_code, device_code, interval, lasts)

    async def end(self, send: Send, code: DeviceCode, host: str, clock: Clock) -> SubscriptionTokens:
        asked = {
            "client_id": self._client_id,
            "device_code": code.secret,
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        }

        async def poll() -> JsonObject | Pending:
            reply = await post_json(send, self._address("ACCESS_TOKEN", host), asked)
            values = reply.object()
            match values.get("error"):
                case "authorization_pending":
                    return Pending()
                case "slow_down":
                    return Pending(slower=True, interval_seconds=seconds(values.get("interval"), 0.0))
                case None if text(values, "access_token"):
                    return values
                case _ if reply.status == 429 or reply.status >= 500:
                    return Pending(slower=True)
                case error:
                    words = _REFUSALS.get(str(error)) or f"GitHub did not accept the sign-in: {reply.reason()}."
                    raise SubscriptionFailed(words)

        grant = _grant(await wait_for_user(code, poll, clock), host)
        tokens = await self._copilot_token(send, grant)
        name = await self._user(send, grant)
        return _with_account(tokens, name)

    async def renew(self, send: Send, tokens: JsonObject) -> SubscriptionTokens:
        if (end := tokens.get("github_expires")) and text(tokens, "github_refresh") and end - 60.0 < time.time():
            tokens = await self._new_grant(send, tokens)
        return await self._copilot_token(send, tokens)

    async def _new_grant(self, send: Send, tokens: JsonObject) -> JsonObject:
        """Return the tokens with a new token of GitHub: a GitHub App of one's own may let its tokens run out."""
        host = text(tokens, "host")
        asked = {
            "client_id": self._client_id,
            "grant_type": "refresh_token",
            "refresh_token": text(tokens, "github_refresh"),
        }
        reply = await post_json(send, self._address("ACCESS_TOKEN", host), asked)
        if not reply.is_fine or not text(reply.object(), "access_token"):
            raise SubscriptionFailed(f"GitHub refused to renew the sign-in: {reply.reason()}.")
        return {**tokens, **_grant(reply.object(), host)}

    async def _copilot_token(self, send: Send, grant: JsonObject) -> SubscriptionTokens:
        """Return the tokens with a new token of Copilot."""
        host = text(grant, "host")
        reply = await send("GET", self._address("API_KEY", host), _headers(grant))
        values = reply.object()
        access = text(values, "token")
        if not reply.is_fine or not access:
            raise SubscriptionFailed(_refusal(reply))
        endpoints = values.get("endpoints")
        base = text(endpoints, "api") if isinstance(endpoints, dict) else ""
        return SubscriptionTokens(
            access,
            text(grant, "refresh"),
            seconds(values.get("expires_at"), time.time() + _USUAL_TOKEN_SECONDS),
            account=text(values, "sku").replace("_", " "),
            environment={"GITHUB_COPILOT_API_BASE": base} if _is_address(base) else {},
            more={name: grant[name] for name in ("host", "github_refresh", "github_expires") if grant.get(name)},
        )

    async def _user(self, send: Send, grant: JsonObject) -> str:
        """Return the name of the account, by which a user sees a sign-in with another account than meant."""
        parts = urlsplit(self._address("API_KEY", text(grant, "host")))
        reply = await send("GET", urlunsplit((parts.scheme, parts.netloc, "/user", "", "")), _headers(grant))
        return text(reply.object(), "login") if reply.is_fine else ""

    def _address(self, kind: str, host: str) -> str:
        """Return the address for a kind of request: of the environment, of the company's own host, or of GitHub."""
        if address := self._environment.get(f"GITHUB_COPILOT_{kind}_URL"):
            return address
        host = host or "github.com"
        paths = {
            "DEVICE_CODE": f"https://{host}/login/device/code",
            "ACCESS_TOKEN": f"https://{host}/login/oauth/access_token",
            "API_KEY": f"https://api.{host}/copilot_internal/v2/token",
        }
        return paths[kind]


def host_of(entered: str) -> str:
    """Return the host that the user means by `company.ghe.com` or an address; empty for github.com.

    Raises SubscriptionFailed.
    """
    entered = entered.strip().lower()
    host = (urlsplit(entered).hostname or "") if "://" in entered else entered.rstrip("/")
    if host in {"", "github.com", "www.github.com"}:
        return ""
    if not _HOST.fullmatch(host):
        raise SubscriptionFailed("The host of GitHub Enterprise is a name such as company.ghe.com.")
    return host


def _headers(grant: JsonObject) -> dict[str, str]:
    return {"accept": "application/json", "authorization": f"token {text(grant, 'refresh')}", **EDITOR_HEADERS}


def _grant(values: JsonObject, host: str) -> JsonObject:
    """Return the stored form of GitHub's answer with a token."""
    ends = seconds(values.get("expires_in"), 0.0)
    more = {"github_refresh": text(values, "refresh_token"), "github_expires": time.time() + ends} if ends else {}
    return {"refresh": text(values, "access_token"), "host": host, **more}


def _with_account(tokens: SubscriptionTokens, name: str) -> SubscriptionTokens:
    from dataclasses import replace

    return replace(tokens, account=", ".join(part for part in (name, tokens.account) if part))


def _refusal(reply: Reply) -> str:
    match reply.status:
        case 401:
            return f"GitHub no longer accepts the sign-in: {reply.reason()}."
        case 403 | 404:
            return f"GitHub gives this account no access to Copilot: {reply.reason()}. {_NO_PLAN}"
        case _:
            return f"GitHub gave no token for Copilot: {reply.reason()}."


def _is_address(base: str) -> bool:
    parts = urlsplit(base)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in {"127.0.0.1", "localhost"})
