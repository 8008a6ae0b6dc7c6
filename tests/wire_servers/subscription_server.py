"""The servers of two subscriptions on 127.0.0.1, which speak the true flows: GitHub's and OpenAI's.

`python -m wire_servers.subscription_server` prints the variables which lead Placet here, as JSON in one line. The user
enters the codes when a line comes on stdin; the end of stdin ends the server.

GitHub: RFC 8628, and the exchange for a token of Copilot. OpenAI: a code, and an authorization code with the verifier
of the exchange; a refresh token is valid once.
"""

import asyncio
import base64
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from aiohttp import web

from wire_servers.answers import Answer, Status, Text
from wire_servers.server import RecordedRequest, WireServer

USER_CODE = "WDJB-MJHT"
Polled = tuple[int, dict[str, Any]]

PENDING: Polled = (200, {"error": "authorization_pending", "error_description": "The user has not entered it."})
DENIED: Polled = (200, {"error": "access_denied", "error_description": "The user cancelled."})
EXPIRED: Polled = (200, {"error": "expired_token"})
NOT_YET: Polled = (403, {"error": {"code": "deviceauth_authorization_unknown", "message": "Not yet."}})
"""OpenAI's answer before the user has entered the code."""


def slow_down(interval: int | None = None) -> Polled:
    return 200, {"error": "slow_down", **({} if interval is None else {"interval": interval})}


def token_of(**claims: Any) -> str:
    """A JSON Web Token with these claims, which nobody signed."""
    packed = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({}, claims)]
    return ".".join([*packed, "c2lnbmF0dXJl"])


class SubscriptionServer:
    """`polls` are the answers of the next polls; after these the user has entered the code."""

    def __init__(self, polls: Iterable[Polled] = (), *, lasts_seconds: float = 3600, interval: int = 5) -> None:
        self.polls = list(polls)
        self.lasts_seconds = lasts_seconds
        self.interval = interval
        self.code_lasts_seconds = 900
        self.asked: list[tuple[str, Mapping[str, str], dict[str, Any]]] = []
        """Path, headers and values of each request but those of the model."""
        self.granted = 0
        """Number of the newest access token."""
        self.refused: Polled | None = None
        """Answer to each further request for an access token."""
        self.is_waiting = False
        """The user has not entered the code yet."""
        self.renewing = asyncio.Event()
        """Set by a request with a refresh token; the answer waits for `may_renew`."""
        self.may_renew = asyncio.Event()
        self.may_renew.set()
        self.is_revoked = False
        """The present access token counts no longer, although its time has not come."""
        self.model = WireServer(self._answer)
        self._port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def environment(self) -> dict[str, str]:
        """Variables which lead Placet here, by the names of litellm."""
        return {
            "CHATGPT_AUTH_BASE": self.address,
            "CHATGPT_API_BASE": f"{self.model.address}/backend-api/codex",
            "GITHUB_COPILOT_DEVICE_CODE_URL": f"{self.address}/login/device/code",
            "GITHUB_COPILOT_ACCESS_TOKEN_URL": f"{self.address}/login/oauth/access_token",
            "GITHUB_COPILOT_API_KEY_URL": f"{self.address}/copilot_internal/v2/token",
        }

    def paths(self) -> list[str]:
        return [path.rpartition("/")[2] for path, _, _ in self.asked]

    def secrets(self) -> list[str]:
        """All secrets which were given out: none may be seen anywhere."""
        numbers = range(1, self.granted + 1)
        given = [
            text for number in numbers for text in (self.copilot(number), self.access(number), self.refresh(number))
        ]
        return ["ghu_" + "g" * 36, "the-device-code", "the-device-auth-id", "the-authorization-code", *given]

    def copilot(self, number: int) -> str:
        return f"tid=t{number};exp=9;sku=plus:{'5' * 20}{number}"

    def access(self, number: int) -> str:
        auth = {"chatgpt_account_id": "acc-1", "chatgpt_plan_type": "plus"}
        return token_of(exp=self._expires[number], number=number, **{"https://api.openai.com/auth": auth})

    def refresh(self, number: int) -> str:
        return f"rt_{'r' * 20}{number}"

    async def __aenter__(self) -> Self:
        self._expires: dict[int, int] = {}
        application = web.Application()
        routes: dict[str, Callable[[dict[str, Any]], Polled]] = {
            "/login/device/code": self._device_code,
            "/login/oauth/access_token": self._poll,
            "/api/accounts/deviceauth/usercode": self._user_code,
            "/api/accounts/deviceauth/token": self._authorization_code,
            "/oauth/token": self._openai_token,
        }
        for path, respond in routes.items():
            application.router.add_post(path, self._serving(respond))
        application.router.add_get("/copilot_internal/v2/token", self._serving(self._copilot_token))
        application.router.add_get("/user", self._serving(lambda _: (200, {"login": "ada"})))
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._port = self._runner.addresses[0][1]
        await self.model.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.model.__aexit__(*_)
        await self._runner.cleanup()

    def _serving(self, respond: Callable[[dict[str, Any]], Polled]) -> Callable[[web.Request], Any]:
        async def serve(request: web.Request) -> web.Response:
            raw = await request.text()
            if request.content_type == "application/json" and raw:
                values = json.loads(raw)
            else:
                values = {name: str(value) for name, value in (await request.post()).items()}
            headers = {name.lower(): value for name, value in request.headers.items()}
            self.asked.append((request.path, headers, values))
            if values.get("grant_type") == "refresh_token":
                self.renewing.set()
                await self.may_renew.wait()
            status, body = respond({**values, "authorization": headers.get("authorization", "")})
            return web.json_response(body, status=status)

        return serve

    def _device_code(self, values: dict[str, Any]) -> Polled:
        if values.get("scope") != "read:user" or not values.get("client_id"):
            return 400, {"error": "invalid_request"}
        return 200, {
            "device_code": "the-device-code",
            "user_code": USER_CODE,
            "verification_uri": f"{self.address}/login/device",
            "expires_in": self.code_lasts_seconds,
            "interval": self.interval,
        }

    def _poll(self, values: dict[str, Any]) -> Polled:
        if values.get("device_code") != "the-device-code" or not values["grant_type"].endswith(":device_code"):
            return 200, {"error": "incorrect_device_code"}
        if self.is_waiting:
            return PENDING
        if self.polls:
            return self.polls.pop(0)
        return 200, {"access_token": "ghu_" + "g" * 36, "token_type": "bearer", "scope": "read:user"}

    def _copilot_token(self, values: dict[str, Any]) -> Polled:
        if self.refused is not None:
            return self.refused
        if values["authorization"] != "token ghu_" + "g" * 36:
            return 401, {"message": "Bad credentials"}
        number = self._grant()
        return 200, {
            "token": self.copilot(number),
            "expires_at": self._expires[number],
            "refresh_in": 1500,
            "sku": "plus_monthly_subscriber",
            "endpoints": {"api": self.model.address},
        }

    def _user_code(self, values: dict[str, Any]) -> Polled:
        if not values.get("client_id"):
            return 400, {"error": {"message": "no client id"}}
        # The interval is a text on this wire.
        return 200, {"device_auth_id": "the-device-auth-id", "user_code": USER_CODE, "interval": str(self.interval)}

    def _authorization_code(self, values: dict[str, Any]) -> Polled:
        if (values.get("device_auth_id"), values.get("user_code")) != ("the-device-auth-id", USER_CODE):
            return 404, {"error": {"message": "unknown"}}
        if self.is_waiting:
            return NOT_YET
        if self.polls:
            return self.polls.pop(0)
        code = {"authorization_code": "the-authorization-code", "code_challenge": "c", "code_verifier": "v"}
        return 200, code

    def _openai_token(self, values: dict[str, Any]) -> Polled:
        if self.refused is not None:
            return self.refused
        match values:
            case {"grant_type": "authorization_code", "code": "the-authorization-code", "code_verifier": "v"}:
                if values["redirect_uri"] != f"{self.address}/deviceauth/callback":
                    return 400, {"error": {"code": "invalid_redirect"}}
            case {"grant_type": "refresh_token", "refresh_token": token} if token == self.refresh(self.granted):
                pass
            case _:
                return 401, {"error": {"code": "refresh_token_reused", "message": "The token was used already."}}
        number = self._grant()
        identity = {"email": "ada@example.com", "https://api.openai.com/auth": {"chatgpt_plan_type": "plus"}}
        return 200, {
            "access_token": self.access(number),
            "refresh_token": self.refresh(number),
            "id_token": token_of(**identity),
        }

    def _grant(self) -> int:
        self.granted += 1
        self._expires[self.granted] = int(time.time() + self.lasts_seconds)
        self.is_revoked = False
        return self.granted

    def _answer(self, request: RecordedRequest) -> Answer:
        """Answer the model's request if the request has the present token."""
        present = self.access(self.granted) if request.wire == "responses" else self.copilot(self.granted)
        if self.is_revoked or request.headers.get("authorization") != f"Bearer {present}":
            return (Status(401, "token expired or invalid"),)
        return (Text("hi"),)


async def serve() -> None:
    async with SubscriptionServer(interval=1) as server:
        server.is_waiting = True
        print(json.dumps(server.environment), flush=True)  # noqa: T201
        while await asyncio.to_thread(sys.stdin.readline):
            server.is_waiting = False


if __name__ == "__main__":
    asyncio.run(serve())
