"""Signing in over the true wire, and the login that a client starts in a terminal."""

import os
import subprocess
import sys
from typing import Any

import pytest

from acp_support import AcpClient, Refused, run_placet
from corpus_support import corpus
from fork_support.completed import run_forked
from placet.frontends.acp.capabilities import initialize_result
from run_support import Place
from time_support import wait_seconds

Json = dict[str, Any]

NO_KEYRING = {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}


def log_in(place: Place, typed: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    place.environment.update(NO_KEYRING)
    return run_forked(*arguments, directory=place.directory, environment=place.environment, stdin=typed)


async def test_a_method_without_the_user_comes_first_and_a_terminal_method_where_the_client_has_terminals(
    place: Place,
) -> None:
    async with AcpClient(place) as client:
        methods = (await client.initialize())["authMethods"]
        assert [method.get("type", "agent") for method in methods] == ["agent"]
    async with AcpClient(place, capabilities={"auth": {"terminal": True}}) as client:
        methods = (await client.initialize())["authMethods"]
        assert [method.get("type", "agent") for method in methods] == ["agent", "terminal"]
        assert methods[1]["args"] == ["--login"]
        assert (await client.initialize())["agentCapabilities"]["auth"] == {"logout": {}}


@corpus("capabilities", [None, [], {"auth": None}, {"auth": {"terminal": 1}}, {"auth": []}])
def test_a_client_that_describes_itself_wrongly_gets_the_method_for_all(capabilities: Any) -> None:
    result = initialize_result({"protocolVersion": 1, "clientCapabilities": capabilities})
    assert len(result["authMethods"]) == 1


async def test_authenticate_succeeds_at_once_before_any_session_and_in_an_empty_home(place: Place) -> None:
    place.environment = {"PATH": os.environ["PATH"], "HOME": str(place.directory / "home")}
    (place.directory / "home").mkdir()
    async with AcpClient(place) as client:
        methods = (await client.initialize())["authMethods"]
        assert await client.call("authenticate", {"methodId": methods[0]["id"]}) == {}
        # The built-in planner needs no key.
        made = await client.call("session/new", {"cwd": str(place.project), "mcpServers": []})
        models = {option["id"]: option["currentValue"] for option in made["configOptions"]}
        assert models["model"] == "builtin/rules"


@pytest.mark.parametrize("method", ["terminal-login", "other", ""])
async def test_another_method_is_refused(place: Place, method: str) -> None:
    async with AcpClient(place) as client:
        await client.initialize()
        with pytest.raises(Refused, match="stored-keys") as refused:
            await client.call("authenticate", {"methodId": method})
        assert refused.value.code == -32602


async def test_logout_forgets_the_keys_of_the_clients_sign_in_and_no_other(place: Place) -> None:
    assert log_in(place, "anthropic\nnot-a-key\n", "--acp", "--login").returncode == 0
    assert log_in(place, "openai\nnot-a-key\n", "--acp", "--login").returncode == 0
    # Set anew by the user, elsewhere.
    assert log_in(place, "another-key\n", "auth", "set", "openai").returncode == 0
    assert log_in(place, "not-a-key\n", "auth", "set", "mistral").returncode == 0
    async with AcpClient(place, capabilities={"auth": {"terminal": True}}) as client:
        await client.initialize()
        for _ in range(2):
            assert await client.call("logout", {}) == {}
    kept = run_placet(place, "auth", "list").stdout
    assert [name in kept for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "MISTRAL_API_KEY")] == [False, True, True]


async def test_a_client_without_a_sign_in_is_offered_no_logout(place: Place) -> None:
    async with AcpClient(place) as client:
        assert "auth" not in (await client.initialize())["agentCapabilities"]


async def test_a_prompt_to_a_model_without_a_key_asks_the_client_for_a_sign_in(place: Place) -> None:
    place.environment.pop("ANTHROPIC_API_KEY", None)
    place.environment.update(NO_KEYRING)
    async with AcpClient(place) as client:
        session_id = await client.opened()
        choice = {"sessionId": session_id, "configId": "model", "value": "anthropic/claude-sonnet-4-5"}
        await client.call("session/set_config_option", choice)
        with pytest.raises(Refused, match="no key") as refused:
            await client.prompt(session_id)
        assert refused.value.code == -32000
        assert "placet auth" in refused.value.error["data"]["hint"]
        # The session goes on with a model that needs no key.
        await client.call("session/set_config_option", {**choice, "value": "builtin/rules"})
        assert await client.prompt(session_id) == "refusal"


@pytest.mark.parametrize("arguments", [["--acp", "--login"], ["--acp", "--agent", "plan", "--login"], ["--login"]])
def test_the_login_of_the_terminal_method_stores_the_key_and_serves_nothing(place: Place, arguments: list[str]) -> None:
    done = log_in(place, "anthropic\nnot-a-key\n", *arguments)
    assert done.returncode == 0, done.stderr
    assert "not-a-key" not in done.stdout + done.stderr
    assert "ANTHROPIC_API_KEY" in run_placet(place, "auth", "list").stdout


@pytest.mark.parametrize("typed", ["", "\n"])
def test_a_login_without_a_provider_fails_and_stores_nothing(place: Place, typed: str) -> None:
    done = log_in(place, typed, "--acp", "--login")
    assert done.returncode != 0
    assert "nothing was changed" in done.stderr
    assert "API_KEY" not in run_placet(place, "auth", "list").stdout


def test_the_help_names_the_login() -> None:
    command = [sys.executable, "-m", "placet", "--acp", "--help"]
    assert (
        "--login" in subprocess.run(command, capture_output=True, text=True, check=True, timeout=wait_seconds()).stdout
    )
