"""The sign-in with a subscription by the owners' true flows, and the renewal of its tokens."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from corpus_support import corpus
from placet.auth.keys import KeyStore, SignIn
from placet.auth.login import Login, LoginFailed, Step
from placet.auth.subscriptions.catalog import renewing, subscriptions
from placet.auth.subscriptions.device_code import Clock
from placet.auth.subscriptions.github_copilot import host_of
from placet.auth.subscriptions.requests import Reply, SubscriptionFailed
from placet.auth.token_refresh import TokenRefresh
from placet.core.errors import ModelError
from placet.model.host.http_client.token_requests import TokenRequests
from placet.sessions.services.signing_in import keep
from placet.sessions.services.subscription_login import subscription_logins
from wire_servers.subscription_server import (
    DENIED,
    EXPIRED,
    NOT_YET,
    PENDING,
    USER_CODE,
    Polled,
    SubscriptionServer,
    slow_down,
)

COPILOT, CHATGPT = "GITHUB_COPILOT_API_KEY", "CHATGPT_API_KEY"
VARIABLES = {"github_copilot": COPILOT, "chatgpt": CHATGPT}


@dataclass
class Waits:
    """A clock which runs only while somebody waits."""

    waited: list[float] = field(default_factory=list[float])

    def clock(self) -> Clock:
        return Clock(lambda: sum(self.waited), self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[SubscriptionServer]:
    async with SubscriptionServer() as server:
        yield server


@pytest.fixture(autouse=True)
def without_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return store_in(tmp_path)


def store_in(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "keys.json")


def login_of(server: SubscriptionServer, provider: str, waits: Waits, **variables: str) -> Login:
    environment = server.environment | variables
    known = subscription_logins(environment, TokenRequests({}), waits.clock())
    return next(login for login in known if login.method.provider == provider)


async def signed_in(server: SubscriptionServer, provider: str, waits: Waits | None = None) -> tuple[Login, Step]:
    login = login_of(server, provider, waits or Waits())
    await login.begin({})
    return login, await login.end(None)


async def stored(server: SubscriptionServer, provider: str, store: KeyStore) -> None:
    login, step = await signed_in(server, provider)
    keep(store, provider, step, login)


async def test_github_is_polled_as_often_as_it_allows(server: SubscriptionServer) -> None:
    waits = Waits()
    server.polls = [PENDING, slow_down(), PENDING, slow_down(30), PENDING]
    login = login_of(server, "github_copilot", waits)

    step = await login.begin({})
    assert (step.url, step.user_code) == (f"{server.address}/login/device", USER_CODE)
    assert USER_CODE in step.instructions
    assert server.address in step.instructions
    done = await login.end(None)

    assert waits.waited == [5, 5, 10, 10, 30, 30], "slow_down adds five seconds, or names the interval"
    assert done.tokens is not None
    assert done.tokens.access == server.copilot(1)
    assert done.account == "ada, plus monthly subscriber"
    assert server.asked[0][2] == {"client_id": "Iv1.b507a08c87ecfe98", "scope": "read:user"}
    assert "placet" in server.asked[-2][1]["editor-version"].lower()


async def test_chatgpt_signs_in_by_a_code_and_the_verifier_of_the_server(server: SubscriptionServer) -> None:
    waits = Waits()
    server.polls = [NOT_YET, NOT_YET]
    login = login_of(server, "chatgpt", waits, CHATGPT_CLIENT_ID="of-my-own")

    step = await login.begin({})
    assert (step.url, step.user_code) == (f"{server.address}/codex/device", USER_CODE)
    done = await login.end(None)

    assert waits.waited == [5, 5, 5]
    assert done.tokens is not None
    assert (done.tokens.access, done.tokens.refresh) == (server.access(1), server.refresh(1))
    assert abs(done.tokens.expires - time.time() - 3600) < 60
    assert done.account == "ada@example.com, plan plus"
    assert done.tokens.model_dump()["environment"] == {"CHATGPT_ACCOUNT_ID": "acc-1"}
    assert {values.get("client_id") for _, _, values in server.asked} == {"of-my-own", None}


@corpus(
    ("provider", "polls", "words"),
    [
        ("github_copilot", [PENDING, DENIED], "refused on GitHub's page"),
        ("github_copilot", [EXPIRED], "has run out"),
        ("github_copilot", [(200, {"error": "device_flow_disabled"})], "does not allow a sign-in by code"),
        ("chatgpt", [NOT_YET, (403, {"error": {"code": "access_denied"}})], "refused on OpenAI's page"),
        (
            "chatgpt",
            [(400, {"error": {"message": "Odd.", "code": "x"}})],
            r"did not accept the sign-in: Odd \(status 400",
        ),
    ],
    server=SubscriptionServer,
)
async def test_a_refusal_ends_the_wait_and_is_said(
    server: SubscriptionServer, provider: str, polls: list[Polled], words: str
) -> None:
    server.polls = polls
    with pytest.raises(LoginFailed, match=words):
        await signed_in(server, provider)
    assert server.granted == 0


@corpus(("provider", "pending"), [("github_copilot", PENDING), ("chatgpt", NOT_YET)], server=SubscriptionServer)
async def test_a_code_that_nobody_enters_runs_out(server: SubscriptionServer, provider: str, pending: Polled) -> None:
    waits = Waits()
    server.polls = [pending] * 1000
    with pytest.raises(LoginFailed, match="has run out before it was entered"):
        await signed_in(server, provider, waits)
    assert 880 < sum(waits.waited) < 900


async def test_a_server_that_is_not_reached_for_a_while_is_asked_again_and_more_rarely(
    server: SubscriptionServer,
) -> None:
    waits = Waits()
    server.polls = [(503, {}), (502, {})]
    _, done = await signed_in(server, "github_copilot", waits)
    assert done.tokens is not None
    assert waits.waited == [5, 10, 15]

    lost = login_of(server, "github_copilot", waits, GITHUB_COPILOT_ACCESS_TOKEN_URL="http://127.0.0.1:9/x")
    waits.waited.clear()
    await lost.begin({})
    with pytest.raises(LoginFailed, match="has run out"):
        await lost.end(None)
    assert waits.waited[:5] == [5, 10, 20, 40, 60]


async def test_a_wait_can_be_given_up(server: SubscriptionServer) -> None:
    server.polls = [PENDING] * 1000
    login = login_of(server, "github_copilot", Waits(), GITHUB_COPILOT_API_KEY_URL="http://127.0.0.1:9/")
    begun = asyncio.Event()

    async def sleep(_: float) -> None:
        begun.set()
        await asyncio.Event().wait()

    login = next(iter(subscription_logins(server.environment, TokenRequests({}), Clock(time.monotonic, sleep))))
    await login.begin({})
    waiting = asyncio.create_task(login.end(None))
    await begun.wait()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@corpus(
    ("refused", "words"),
    [
        (
            (403, {"error_details": {"message": "No access to Copilot found."}}),
            "No access to Copilot found.*Copilot plan",
        ),
        ((404, {"message": "Not Found"}), "gives this account no access to Copilot"),
        ((401, {"message": "Bad credentials"}), "no longer accepts the sign-in: Bad credentials"),
        ((500, {}), "gave no token for Copilot: status 500"),
    ],
    server=SubscriptionServer,
)
async def test_an_account_without_the_plan_is_told_so(server: SubscriptionServer, refused: Polled, words: str) -> None:
    server.refused = refused
    with pytest.raises(LoginFailed, match=words):
        await signed_in(server, "github_copilot")


async def test_an_error_repeats_no_secret(server: SubscriptionServer) -> None:
    server.refused = (400, {"error": "bad", "error_description": "cannot use ghu_" + "g" * 36})
    for provider in VARIABLES:
        with pytest.raises(LoginFailed) as failed:
            await signed_in(server, provider)
        assert not any(secret in str(failed.value) for secret in server.secrets())


@corpus("provider", VARIABLES, server=SubscriptionServer, store=store_in)
async def test_the_tokens_are_kept_as_keys_are_kept(server: SubscriptionServer, provider: str, store: KeyStore) -> None:
    await stored(server, provider, store)
    variable = VARIABLES[provider]
    sign_in = store.sign_ins()[variable]
    assert sign_in.is_subscription
    assert sign_in.account
    values, missing = store.values()
    assert not missing
    present = server.access(1) if provider == "chatgpt" else server.copilot(1)
    further = {"CHATGPT_ACCOUNT_ID": "acc-1"}
    if provider == "github_copilot":
        further = {"GITHUB_COPILOT_API_BASE": server.model.address}
    assert values == {variable: present, **further}
    assert store.file.stat().st_mode & 0o77 == 0
    assert store.forget(variable)
    assert store.values() == ({}, {})


@corpus("provider", VARIABLES, server=SubscriptionServer, store=store_in)
async def test_the_tokens_are_renewed_once_for_all_processes(
    server: SubscriptionServer, provider: str, store: KeyStore
) -> None:
    server.lasts_seconds = 30
    await stored(server, provider, store)
    server.lasts_seconds = 3600
    processes = [
        TokenRefresh(store.file, (), renewing(TokenRequests({}), server.environment), of_subscriptions=True)
        for _ in range(3)
    ]
    for process in processes:
        process.timeout_seconds = 300.0

    await asyncio.gather(*(process.refresh(f"{provider}/x") for process in processes for _ in range(4)))

    assert server.granted == 2
    assert store.sign_ins()[VARIABLES[provider]].expires > time.time() + 3000
    assert store.sign_ins()[VARIABLES[provider]].account
    assert not await processes[0].refresh(f"{provider}/x"), "the tokens are valid for an hour"

    rejected = store.values()[0][VARIABLES[provider]]
    await asyncio.gather(*(process.refresh(f"{provider}/x", rejected=rejected) for process in processes))
    assert server.granted == 3, "a rejected token is renewed once"


async def test_keys_of_plugins_are_not_renewed_here_and_those_of_subscriptions_not_there(
    server: SubscriptionServer, store: KeyStore
) -> None:
    server.lasts_seconds = 1
    await stored(server, "chatgpt", store)
    over = SignIn("acme", "gateway", 1.0)
    store.keep_sign_in("ACME_API_KEY", over, {"access": "a", "refresh": "r", "expires": 1.0})
    renew = renewing(TokenRequests({}), server.environment)
    assert not await TokenRefresh(store.file, (), renew, of_subscriptions=True).refresh("acme/x")
    assert not await TokenRefresh(store.file, (), renew).refresh("chatgpt/x")
    assert server.granted == 1


@corpus(
    ("address", "code", "words", "hint"),
    [
        (None, "authentication", "The token was used already", "placet auth login chatgpt"),
        ("http://127.0.0.1:9", "connection", "cannot be reached", "Check the network"),
    ],
    server=SubscriptionServer,
    store=store_in,
)
async def test_a_renewal_that_fails_says_what_to_do(
    server: SubscriptionServer, store: KeyStore, address: str | None, code: str, words: str, hint: str
) -> None:
    server.lasts_seconds = 1
    await stored(server, "chatgpt", store)
    server.granted = 5
    server.lasts_seconds = 3600
    environment = server.environment | ({"CHATGPT_AUTH_BASE": address} if address else {})
    refresh = TokenRefresh(store.file, (), renewing(TokenRequests({}), environment), of_subscriptions=True)
    with pytest.raises(ModelError, match=words) as failed:
        await refresh.refresh("chatgpt/x")
    assert failed.value.code == code
    assert hint in failed.value.hint


class GitHubOfACompany:
    """Answers as GitHub does, by the address alone; a GitHub App there lets its tokens run out."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.given: list[str] = []

    async def __call__(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        self.addresses.append(url)
        self.given.append(headers.get("authorization", ""))
        number = self.addresses.count("https://company.ghe.com/login/oauth/access_token")
        page = "https://company.ghe.com/login/device"
        bodies: dict[str, dict[str, object]] = {
            "/login/device/code": {"device_code": "d", "user_code": "A-B", "verification_uri": page},
            "/login/oauth/access_token": {"access_token": f"ghu_{number}", "refresh_token": "ghr_1", "expires_in": 1},
            "/copilot_internal/v2/token": {"token": "t", "endpoints": {"api": "https://copilot-api.company.ghe.com"}},
            "/user": {"login": "ada"},
        }
        path = "/" + url.split("/", 3)[3]
        return Reply(200, json.dumps(bodies[path]).encode())


async def test_github_enterprise_is_asked_at_the_companys_host_and_its_tokens_are_renewed_too() -> None:
    company = GitHubOfACompany()
    login = next(login for login in subscription_logins({}, company, Waits().clock()) if login.method.method == 2)
    assert [prompt.key for prompt in login.method.prompts] == ["host"]
    await login.begin({"host": "https://company.ghe.com/"})
    done = await login.end(None)
    assert done.tokens is not None
    tokens = done.tokens.model_dump()
    assert tokens["environment"] == {"GITHUB_COPILOT_API_BASE": "https://copilot-api.company.ghe.com"}
    assert company.addresses == [
        "https://company.ghe.com/login/device/code",
        "https://company.ghe.com/login/oauth/access_token",
        "https://api.company.ghe.com/copilot_internal/v2/token",
        "https://api.company.ghe.com/user",
    ]

    renewed = await subscriptions({})["github_copilot"].renew(company, tokens)

    assert company.addresses[4:] == company.addresses[1:3]
    assert company.given[-1] == "token ghu_2"
    assert renewed.stored()["refresh"] == "ghu_2"


@corpus(("entered", "host"), [("", ""), ("GitHub.com", ""), ("a.ghe.com", "a.ghe.com")])
def test_a_host_is_a_name(entered: str, host: str) -> None:
    assert host_of(entered) == host


@corpus("entered", ["a", "a b.com", "a.com/evil?x=", "a.com:80", "http://a", "-.com", "a@b.com"])
def test_another_text_is_no_host(entered: str) -> None:
    with pytest.raises(SubscriptionFailed, match=r"company\.ghe\.com"):
        host_of(entered)
