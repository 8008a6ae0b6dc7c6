"""Calls which a subscription covers: the host renews the tokens, and keeps them to itself."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import pytest_asyncio

from corpus_support import corpus
from model_support.asking import answer, failure, text_of
from model_support.hosts import THROUGH_LITELLM
from placet.auth.keys import KeyStore
from placet.auth.subscriptions.device_code import Clock
from placet.model.base import UsageReport
from placet.model.client.host import ModelHost
from placet.model.host.http_client.token_requests import TokenRequests
from placet.sessions.services.signing_in import keep
from placet.sessions.services.subscription_login import subscription_logins
from placet.settings import Settings
from wire_servers.answers import Status
from wire_servers.subscription_server import SubscriptionServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODELS = {
    "chatgpt": "chatgpt/gpt-5.5",
    "github_copilot": "github_copilot/claude-opus-5.5",
}
OpenHost = Callable[[SubscriptionServer], ModelHost]


async def no_wait(_: float) -> None: ...


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncIterator[SubscriptionServer]:
    async with SubscriptionServer() as server:
        yield server


@pytest.fixture(autouse=True)
def without_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


def store_in(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "keys.json")


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return store_in(tmp_path)


@asynccontextmanager
async def hosts_in(tmp_path: Path) -> AsyncIterator[OpenHost]:
    """A host without keys in its environment, led to the server of the test."""
    opened: list[ModelHost] = []
    plain = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}

    def open_host(server: SubscriptionServer) -> ModelHost:
        environment = {**plain, **server.environment, "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
        opened.append(ModelHost(environment=environment, keys=tmp_path / "keys.json", log=tmp_path / "host.log"))
        return opened[-1]

    yield open_host
    for host in opened:
        await host.close()


@pytest_asyncio.fixture(loop_scope="session")
async def open_host(tmp_path: Path) -> AsyncIterator[OpenHost]:
    async with hosts_in(tmp_path) as open_host:
        yield open_host


async def sign_in(server: SubscriptionServer, provider: str, store: KeyStore, *, lasts_seconds: float = 3600) -> None:
    server.lasts_seconds = lasts_seconds
    logins = subscription_logins(server.environment, TokenRequests({}), Clock(sleep=no_wait))
    login = next(login for login in logins if login.method.provider == provider)
    await login.begin({})
    keep(store, provider, await login.end(None), login)
    server.lasts_seconds = 3600


@corpus("settings", [Settings(), THROUGH_LITELLM], open_host=hosts_in, server=SubscriptionServer, store=store_in)
@corpus("provider", MODELS)
async def test_a_call_after_the_sign_in_has_no_price_and_goes_on_when_its_token_is_rejected_once(
    open_host: OpenHost, server: SubscriptionServer, store: KeyStore, provider: str, settings: Settings
):
    await sign_in(server, provider, store)

    model = open_host(server).model(MODELS[provider], settings)
    events = await answer(model)

    assert text_of(events) == "hi"
    reports = [event for event in events if isinstance(event, UsageReport)]
    assert [(report.cost, report.is_covered) for report in reports] == [(0.0, True)]
    (request,) = server.model.requests
    path = {"chatgpt": "/backend-api/codex/responses", "github_copilot": "/chat/completions"}
    assert request.path == path[provider]
    if provider == "chatgpt":
        assert request.headers["chatgpt-account-id"] == "acc-1"
        assert request.body["store"] is False

    server.is_revoked = True

    assert text_of(await answer(model)) == "hi"
    assert server.granted == 2
    assert len(server.model.requests) == 3

    server.model.play(lambda _: (Status(401, "the plan has ended"),))
    _, error = await failure(model)
    assert error.code == "authentication"
    assert "rejected the sign-in (401): the plan has ended" in error.message
    assert error.hint == f"Sign in again: `placet auth login {provider}`."
    assert len(server.model.requests) == 5, "a second rejection is the end"


@corpus("provider", MODELS, open_host=hosts_in, server=SubscriptionServer, store=store_in)
async def test_a_token_is_renewed_before_it_runs_out_in_the_middle_of_a_session(
    open_host: OpenHost, server: SubscriptionServer, store: KeyStore, provider: str
):
    await sign_in(server, provider, store, lasts_seconds=20)
    model = open_host(server).model(MODELS[provider], Settings())

    assert text_of(await answer(model)) == "hi"
    assert server.granted == 2
    assert text_of(await answer(model)) == "hi"
    assert server.granted == 2
    assert len(server.model.requests) == 2, "no request is made with a token that has run out"


@corpus("provider", MODELS, open_host=hosts_in, server=SubscriptionServer, store=store_in)
async def test_two_processes_renew_once(
    open_host: OpenHost, server: SubscriptionServer, store: KeyStore, provider: str
):
    await sign_in(server, provider, store, lasts_seconds=20)
    hosts = [open_host(server) for _ in range(2)]
    await asyncio.gather(*(host.ready() for host in hosts))
    models = [host.model(MODELS[provider], Settings()) for host in hosts for _ in range(3)]

    answers = await asyncio.gather(*(answer(model) for model in models))

    assert [text_of(events) for events in answers] == ["hi"] * 6
    assert server.granted == 2


async def test_a_renewal_is_kept_when_the_editor_closes_in_the_middle(
    open_host: OpenHost, server: SubscriptionServer, store: KeyStore
):
    await sign_in(server, "chatgpt", store, lasts_seconds=20)
    host = open_host(server)
    server.may_renew.clear()
    asking = asyncio.create_task(answer(host.model(MODELS["chatgpt"], Settings())))
    await server.renewing.wait()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)

    closing = asyncio.create_task(host.close())
    await asyncio.wait([closing], timeout=0.3)  # There is no event for a host that goes on working.
    server.may_renew.set()
    await closing

    assert store.tokens("CHATGPT_API_KEY")["refresh"] == server.refresh(2), "the old refresh token is valid no longer"


async def test_the_used_up_limit_of_a_plan_says_when_it_ends(
    open_host: OpenHost, server: SubscriptionServer, store: KeyStore
):
    await sign_in(server, "chatgpt", store)
    more = {"plan_type": "plus", "resets_in_seconds": 7200}
    limit = Status(429, "The usage limit has been reached", type="usage_limit_reached", more=more)
    server.model.play(lambda _: (limit,))

    _, error = await failure(open_host(server).model(MODELS["chatgpt"], Settings()))

    assert (error.code, error.retry_after) == ("rate_limit", 7200)
    assert "The usage limit has been reached" in error.message
    assert "Wait until the subscription allows more requests" in error.hint


@corpus("provider", MODELS, open_host=hosts_in, server=SubscriptionServer, store=store_in)
async def test_who_is_not_signed_in_or_no_longer_is_told_the_command(
    open_host: OpenHost, server: SubscriptionServer, store: KeyStore, provider: str
):
    model = open_host(server).model(MODELS[provider], Settings())
    _, error = await failure(model)
    assert error.code == "authentication"
    assert error.message == f"You are not signed in to {provider}."
    assert error.hint.endswith(f"`placet auth login {provider}`.")

    await sign_in(server, provider, store, lasts_seconds=20)
    server.refused = (401, {"message": "Bad credentials", "error": {"message": "The grant was revoked."}})
    _, error = await failure(model)
    assert error.code == "authentication"
    assert "was not refreshed" in error.message
    assert "revoked" in error.message or "Bad credentials" in error.message
    assert f"`placet auth login {provider}`" in error.hint
    assert not server.model.requests

    server.refused = None
    assert text_of(await answer(model)) == "hi"
    store.forget(f"{provider.upper()}_API_KEY")
    _, error = await failure(model)
    assert error.message == f"You are not signed in to {provider}."


@corpus("provider", MODELS, open_host=hosts_in, server=SubscriptionServer, store=store_in)
async def test_no_secret_is_in_the_log_or_in_an_error(
    open_host: OpenHost, server: SubscriptionServer, store: KeyStore, provider: str, tmp_path: Path
):
    await sign_in(server, provider, store, lasts_seconds=20)
    model = open_host(server).model(MODELS[provider], Settings())
    assert text_of(await answer(model)) == "hi"
    said: list[str] = []
    for secret in server.secrets():
        server.model.play(lambda _, secret=secret: (Status(400, f"cannot use {secret} here"),))
        _, error = await failure(model)
        said.append(error.with_hint)

    written = [file.read_text() for file in tmp_path.rglob("*") if file.is_file() and file != store.file]
    told = json.dumps([*said, *written])
    present = server.access(2) if provider == "chatgpt" else server.copilot(2)
    assert present in server.secrets()
    assert not [secret for secret in (present, "ghu_" + "g" * 36) if secret in told]
