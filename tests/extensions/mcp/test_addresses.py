"""Servers by the SDK at an address: of 2026-07-28, and such as want the user to sign in."""

import asyncio
import stat
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.client.auth import oauth2
from mcp.shared import auth_utils

from fork_support import start_module
from mcp_support import free_port, held
from placet.core.errors import RequestError, ToolError
from placet.core.ports import Question
from placet.extensions.mcp.sign_in import store
from tools_support.workbench import Workbench

SERVERS_IMPORTS = ("uvicorn", "mcp.server.mcpserver", "mcp.server.auth.settings", "starlette.responses")


@contextmanager
def later() -> Iterator[None]:
    """The clocks of the client are so far ahead that every token of before has become old."""

    class Clock:
        def time(self) -> float:
            return time.time() + 7200

    with pytest.MonkeyPatch.context() as patch:
        for module in (oauth2, auth_utils, store):
            patch.setattr(module, "time", Clock())
        yield


@asynccontextmanager
async def serving(*arguments: str) -> AsyncIterator[str]:
    """The address of mcp_support.guarded."""
    port = await free_port()
    process = await start_module("mcp_support.guarded", str(port), *arguments, imports=SERVERS_IMPORTS)
    assert process.stderr is not None
    while b"Uvicorn running" not in (line := await process.stderr.readline()):
        assert line, "the server has ended"
    drained = asyncio.create_task(process.stderr.read())
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        await process.wait()
        await drained


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


async def browse(address: str) -> None:
    """As a browser does, for a user who agrees."""
    async with httpx2.AsyncClient(follow_redirects=True) as browser:
        answer = await browser.get(address)
        assert "You are signed in" in answer.text


async def test_a_server_of_2026_works_and_tells_of_changes(bench: Workbench) -> None:
    async with serving() as url, held(bench, odd={"url": url}) as mcp:
        await mcp.connected()
        assert (await mcp.run("odd_echo", text="hi")).output == "hi"
        bench.user.replies = [["Ada"]]
        assert (await mcp.run("odd_greet")).output == "Hello Ada"
        await mcp.run("odd_count")
        assert bench.progress[-1]["progress"] == 3
        await mcp.run("odd_grow")
        await mcp.until(lambda: "grown" in {tool.name for tool in mcp.server().offered.tools})
        assert (await mcp.run("odd_grown")).output == "grown"


async def test_the_user_signs_in_once_and_tokens_are_refreshed_and_forgotten(bench: Workbench) -> None:
    tokens = bench.root.parent / "config" / "mcp-auth.json"
    shown: list[str] = []

    async def show(address: str) -> None:
        shown.append(address)
        await browse(address)

    async with serving("guarded") as url:
        async with held(bench, odd={"url": url}) as mcp:
            await mcp.until(lambda: mcp.server().state == "needs_auth")
            assert mcp.server().problem == "The MCP server odd wants you to sign in: `placet mcp auth odd`."
            assert await mcp.ids() == []
            await mcp.servers.sign_in("odd", show)
            assert (mcp.server().state, mcp.server().problem) == ("connected", "")
            query = {name: values[0] for name, values in parse_qs(urlsplit(shown[0]).query).items()}
            assert query["code_challenge_method"] == "S256"
            assert query["resource"] == url
            assert urlsplit(query["redirect_uri"]).hostname == "127.0.0.1"
            assert (await mcp.run("odd_echo", text="hi")).output == "hi"
            assert stat.S_IMODE(tokens.stat().st_mode) == 0o600
            assert await mcp.servers.is_signed_in(mcp.server())
        async with held(bench, odd={"url": url}) as mcp:
            await mcp.connected()
            before = tokens.read_text()
            with later():
                assert (await mcp.run("odd_registered")).output == "1"
            assert tokens.read_text() != before
            await mcp.run("odd_revoke")
            with pytest.raises(ToolError):
                await mcp.run("odd_echo", text="hi")
            await mcp.until(lambda: '\\"until\\": 0' not in tokens.read_text() and mcp.server().state == "connected")
            assert (await mcp.run("odd_echo", text="hi")).output == "hi"
            assert len(shown) == 1
        with later():
            async with held(bench, odd={"url": url}) as mcp:
                await mcp.connected()
                assert (await mcp.run("odd_registered")).output == "1"
        async with held(bench, other={"url": url}) as mcp:
            await mcp.until(lambda: mcp.server("other").state == "needs_auth")
        async with held(bench, odd={"url": url}) as mcp:
            await mcp.connected()
            assert await mcp.servers.sign_out("odd")
            assert mcp.server().state == "needs_auth"
            assert "access_token" not in tokens.read_text()
            assert not await mcp.servers.sign_out("odd")


async def come_back(address: str, state: str | None = None, **query: str) -> httpx2.Response:
    """As a browser does that the authorization server sends back to Placet."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    async with httpx2.AsyncClient() as browser:
        return await browser.get(asked["redirect_uri"], params={"state": state or asked["state"], **query})


async def test_who_refuses_to_sign_in_is_not_connected_and_is_told_the_servers_reason(bench: Workbench) -> None:
    async def refuse(address: str) -> None:
        await come_back(address, error="access_denied", error_description="Not on\x1b[2J my\nwatch")

    async with serving("guarded") as url, held(bench, odd={"url": url}) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_auth")
        await mcp.servers.sign_in("odd", refuse)
        assert mcp.server().state == "needs_auth"
        assert mcp.server().problem == (
            "Signing in to the MCP server odd has failed: The sign-in was rejected: access_denied: Not on [2J my watch"
        )


async def test_a_sign_in_that_fails_with_a_deeply_nested_body_is_told_like_any_other(bench: Workbench) -> None:
    async with serving("guarded", "deep") as url, held(bench, odd={"url": url}) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_auth")
        await mcp.servers.sign_in("odd", browse)
        assert mcp.server().state == "needs_auth"
        assert mcp.server().problem.startswith(
            "Signing in to the MCP server odd has failed: Token exchange failed (400): {"
        )


async def test_the_answer_to_another_sign_in_is_not_taken(bench: Workbench) -> None:
    refused: list[int] = []

    async def browse_among_others(address: str) -> None:
        for state in ("another", ""):
            for answer in ({"code": "stolen"}, {"error": "access_denied"}):
                refused.append((await come_back(address, state=state or "-", **answer)).status_code)
        await browse(address)

    async with serving("guarded") as url, held(bench, odd={"url": url}) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_auth")
        await mcp.servers.sign_in("odd", browse_among_others)
        assert (mcp.server().state, mcp.server().problem) == ("connected", "")
    assert refused == [400, 400, 400, 400]


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
async def test_the_secret_of_a_client_is_sent_as_the_token_endpoint_wants_it(bench: Workbench, method: str) -> None:
    client = {"clientId": "by-hand", "clientSecret": "s:cret"}
    async with serving("guarded", method) as url:
        async with held(bench, odd={"url": url, "oauth": client}) as mcp:
            await mcp.until(lambda: mcp.server().state == "needs_auth")
            await mcp.servers.sign_in("odd", browse)
            assert (mcp.server().state, mcp.server().problem) == ("connected", "")
        tokens = bench.root.parent / "config" / "mcp-auth.json"
        async with held(bench, odd={"url": url, "oauth": client}) as mcp:
            await mcp.connected()
            before = tokens.read_text()
            with later():
                assert (await mcp.run("odd_echo", text="hi")).output == "hi"
            assert tokens.read_text() != before


async def test_a_failed_sign_in_tells_what_the_authorization_server_says(bench: Workbench) -> None:
    client = {"clientId": "by-hand", "clientSecret": "wrong"}
    async with serving("guarded", "client_secret_basic") as url, held(bench, odd={"url": url, "oauth": client}) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_auth")
        await mcp.servers.sign_in("odd", browse)
        assert mcp.server().state == "needs_auth"
        assert mcp.server().problem == (
            "Signing in to the MCP server odd has failed: "
            "Token exchange failed (401): invalid_client: Invalid client_secret"
        )


async def test_a_call_that_needs_more_rights_asks_the_user_for_them(bench: Workbench) -> None:
    asked: list[str] = []

    async def grant(session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        asked.append(questions[0].question)
        await browse(questions[0].question.partition(" open ")[2].removesuffix(" in your browser."))
        return await asyncio.get_running_loop().create_future()  # It is taken off the screen by the browser's answer.

    async with serving("guarded") as url, held(bench, odd={"url": url}) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_auth")
        await mcp.servers.sign_in("odd", browse)
        bench.user.ask = grant  # type: ignore[method-assign]
        assert (await mcp.run("odd_rule")).output == "ruled"
        assert (await mcp.run("odd_rule")).output == "ruled"
        assert len(asked) == 1
        assert asked[0].startswith("The MCP server odd needs more rights for this call (ruling). To grant them, open ")


async def test_rights_that_are_not_granted_end_the_call_alone_and_the_next_sign_in_asks_for_them(
    bench: Workbench,
) -> None:
    shown: list[str] = []

    async def show(address: str) -> None:
        shown.append(address)
        await browse(address)

    async with serving("guarded") as url, held(bench, odd={"url": url}) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_auth")
        await mcp.servers.sign_in("odd", show)
        with pytest.raises(ToolError, match=r"needs more rights at the MCP server odd \(ruling\)"):
            await mcp.run("odd_rule")
        assert (await mcp.run("odd_echo", text="still there")).output == "still there"
        assert mcp.server().state == "connected"
        await mcp.servers.sign_in("odd", show)
        assert (await mcp.run("odd_rule")).output == "ruled"
    assert [parse_qs(urlsplit(address).query).get("scope") for address in shown] == [None, ["ruling"]]


async def test_only_addresses_are_signed_in_to(bench: Workbench) -> None:
    async with held(bench, odd={"url": "http://127.0.0.1:9/mcp", "oauth": False, "enabled": False}) as mcp:
        with pytest.raises(RequestError, match="has no sign-in"):
            await mcp.servers.sign_in("odd", browse)
