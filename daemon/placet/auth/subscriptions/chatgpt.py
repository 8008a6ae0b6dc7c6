"""Sign-in with a ChatGPT plan, as OpenAI's Codex signs in: https://github.com/openai/codex/tree/main/codex-rs/login.

The flow resembles RFC 8628: the user enters a code, and the polling answers with an authorization code and with the
verifier of the exchange. A refresh token is valid once.
"""

import base64
import json
import time
from collections.abc import Mapping
from typing import Any

from placet.auth.keys import JsonObject
from placet.auth.subscriptions.device_code import USUAL_INTERVAL_SECONDS, Clock, DeviceCode, Pending, wait_for_user
from placet.auth.subscriptions.requests import Reply, Send, SubscriptionFailed, post_form, post_json, seconds, text
from placet.auth.subscriptions.subscription import SubscriptionTokens

AUTH_BASE = "https://auth.openai.com"
CLIENT_ID = "app_EMoamEEZ73f0CkXaXp7hrann"
"""Client id of OpenAI's Codex, which litellm and other agents use too."""

_CODE_SECONDS = 15 * 60.0
_USUAL_TOKEN_SECONDS = 3600.0
_SCOPE = "openid profile email"
_CLAIM = "https://api.openai.com/auth"


class ChatGpt:
    """Subscription of ChatGPT: placet.auth.subscriptions.subscription.Subscription."""

    provider = "chatgpt"
    title = "ChatGPT plan (Plus, Pro, Business, Enterprise)"

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Create the subscription; `environment` may name another server (CHATGPT_AUTH_BASE) and client id."""
        self._base = (environment.get("CHATGPT_AUTH_BASE") or AUTH_BASE).rstrip("/")
        self._client_id = environment.get("CHATGPT_CLIENT_ID") or CLIENT_ID

    async def begin(self, send: Send, host: str) -> DeviceCode:
        reply = await post_json(
            send, self._address("/api/accounts/deviceauth/usercode"), {"client_id": self._client_id}
        )
        values = reply.object()
        secret, user_code = text(values, "device_auth_id"), text(values, "user_code", "usercode")
        if reply.status == 404:
            raise SubscriptionFailed(
                "OpenAI does not offer a sign-in by code. Allow device codes in ChatGPT's settings, under Security."
            )
        if not reply.is_fine or not secret or not user_code:
            raise SubscriptionFailed(f"OpenAI gave no code to sign in: {reply.reason()}.")
        interval = seconds(values.get("interval"), USUAL_INTERVAL_SECONDS)
        lasts = seconds(values.get("expires_in"), _CODE_SECONDS)
        return DeviceCode(self._address("/codex/device"), user_code, secret, interval, lasts)

    async def end(self, send: Send, code: DeviceCode, host: str, clock: Clock) -> SubscriptionTokens:
        asked = {"device_auth_id": code.secret, "user_code": code.user_code}

        async def poll() -> JsonObject | Pending:
            reply = await post_json(send, self._address("/api/accounts/deviceauth/token"), asked)
            values = reply.object()
            if reply.is_fine and text(values, "authorization_code") and text(values, "code_verifier"):
                return values
            if _is_denied(values):
                raise SubscriptionFailed("The sign-in was refused on OpenAI's page.")
            if reply.status in {403, 404, 429} or reply.status >= 500:
                return Pending(slower=reply.status == 429)
            raise SubscriptionFailed(f"OpenAI did not accept the sign-in: {reply.reason()}.")

        granted = await wait_for_user(code, poll, clock)
        exchange = {
            "grant_type": "authorization_code",
            "code": text(granted, "authorization_code"),
            "redirect_uri": self._address("/deviceauth/callback"),
            "client_id": self._client_id,
            "code_verifier": text(granted, "code_verifier"),
        }
        reply = await post_form(send, self._address("/oauth/token"), exchange)
        if not reply.is_fine:
            raise SubscriptionFailed(f"OpenAI did not accept the sign-in: {reply.reason()}.")
        return _tokens(reply, {})

    async def renew(self, send: Send, tokens: JsonObject) -> SubscriptionTokens:
        asked = {
            "client_id": self._client_id,
            "grant_type": "refresh_token",
            "refresh_token": text(tokens, "refresh"),
            "scope": _SCOPE,
        }
        reply = await post_json(send, self._address("/oauth/token"), asked)
        if not reply.is_fine:
            raise SubscriptionFailed(f"OpenAI refused to renew the sign-in: {reply.reason()}.")
        return _tokens(reply, tokens)

    def _address(self, path: str) -> str:
        return self._base + path


def _is_denied(values: JsonObject) -> bool:
    error = values.get("error")
    code = text(error, "code") if isinstance(error, dict) else error
    return code == "access_denied"


def _tokens(reply: Reply, before: JsonObject) -> SubscriptionTokens:
    """Return the tokens of the response; a renewal keeps what the response does not hold."""
    values = reply.object()
    access, refresh = text(values, "access_token"), text(values, "refresh_token") or text(before, "refresh")
    if not access or not refresh:
        raise SubscriptionFailed(f"OpenAI's answer has no token: {reply.reason()}.")
    identity, of_access = _claims(text(values, "id_token")), _claims(access)
    identity_account, access_account = _account_claims(identity), _account_claims(of_access)
    account_id = text(identity_account, "chatgpt_account_id") or text(access_account, "chatgpt_account_id")
    plan = text(identity_account, "chatgpt_plan_type") or text(access_account, "chatgpt_plan_type")
    lasts = seconds(values.get("expires_in"), _USUAL_TOKEN_SECONDS)
    return SubscriptionTokens(
        access,
        refresh,
        seconds(of_access.get("exp"), time.time() + lasts),
        account=", ".join(part for part in (text(identity, "email"), plan and f"plan {plan}") if part),
        environment={"CHATGPT_ACCOUNT_ID": account_id} if account_id else dict(before.get("environment") or {}),
    )


def _account_claims(identity: JsonObject) -> JsonObject:
    account = identity.get(_CLAIM)
    return account if isinstance(account, dict) else {}


def _claims(token: str) -> JsonObject:
    """Return the claims of a JSON Web Token, or an empty object for a text which is no such token.

    The signature is not checked: the owner's server has just sent the token.
    """
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        value: Any = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
