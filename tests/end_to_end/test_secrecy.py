"""A model with a real key has a real command look everywhere; then everything that Placet wrote is searched.

The command looks with the sandbox off, where only the user's rights hold it, and inside the sandbox.
"""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from keyring_support import with_keyring
from lsp_link.process import ServerProcess
from placet.auth.keys import KeyStore
from placet.model.host.http_client.token_requests import TokenRequests
from placet.sessions.services.signing_in import keep
from placet.sessions.services.subscription_login import subscription_logins
from wire_servers.answers import Call, Status, Text
from wire_servers.server import WireServer
from wire_servers.subscription_server import SubscriptionServer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc")

# Each known by another way; a strange one too, that no pattern would find.
IN_ENVIRONMENT, IN_FILE, IN_KEYRING = "odd:environment/key", "gsk_" + "file0" * 6, "AIza" + "ring0" * 7
KEYS = (IN_ENVIRONMENT, IN_FILE, IN_KEYRING)

# Landlock, which holds a root without capabilities, lets commands read the system and the project.
SYSTEMS_PYTHON = "/usr/bin/python3"

LOOK = """
import glob, os, sys
print("ENVIRONMENT", dict(os.environ))
print("PARENTS", os.getppid())
for file in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline"):
    try:
        print("READ", file, open(file, "rb").read())
    except OSError as error:
        print("REFUSED", file, error.strerror)
for file in sys.argv[1:]:
    try:
        maps = [line.split()[0].split("-") for line in open(f"/proc/{file}/maps") if "[heap]" in line]
        with open(f"/proc/{file}/mem", "rb") as memory:
            memory.seek(int(maps[0][0], 16))
            print("MEMORY", file, len(memory.read(4096)))
    except OSError as error:
        print("REFUSED", file, "memory", error.strerror)
"""


class Daemon(ServerProcess):
    def __init__(self, home: Path, *before: str, variables: Mapping[str, str]) -> None:
        super().__init__("ours", home)
        self._command = [*before, sys.executable, "-m", "placet", "--stdio"]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLACET_", "OPENAI_"))}
        homes = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        environment = {**kept, **homes, "HOME": str(home), "OPENAI_API_KEY": IN_ENVIRONMENT, **variables}
        self._environment = with_keyring(environment, home.parent / "ring.json")


@asynccontextmanager
async def daemon(
    home: Path,
    project: Path,
    server: WireServer,
    *before: str,
    sandbox: str = "off",
    owner: SubscriptionServer | None = None,
) -> AsyncIterator[Daemon]:
    """A daemon whose user has a key in each place, and who allows every command."""
    (home / "config" / "placet").mkdir(parents=True)
    (home.parent / "ring.json").write_text(json.dumps({"placet/GEMINI_API_KEY": IN_KEYRING}))
    keys = home / "config" / "placet" / "keys.json"
    keys.write_text('{"GEMINI_API_KEY": {}}')
    KeyStore(keys).keep("GROQ_API_KEY", IN_FILE)
    settings = {
        "model": "openai/gpt-4o",
        "modelOptions": {"apiBase": server.openai_base},
        "permission": {"bash": "allow", "external_directory": "allow"},
        "sandbox": {"mode": sandbox},
    }
    if owner is not None:
        settings |= {"model": "github_copilot/claude-opus-5.5", "modelOptions": {}}
        await sign_in(owner, KeyStore(keys))
    async with Daemon(home, *before, variables=owner.environment if owner else {}) as made:
        options = {"agent": {"protocol": 1}, "settings": settings}
        await made.handshake(rootUri=project.as_uri(), initializationOptions=options)
        yield made
        await made.call("shutdown")
        made.notify("exit", None)
        assert await made.ended() == 0


async def sign_in(owner: SubscriptionServer, store: KeyStore) -> None:
    """Sign in to both subscriptions, with tokens that soon run out."""
    owner.lasts_seconds = 20
    for login in subscription_logins(owner.environment, TokenRequests({})):
        if login.method.method == 1:
            await login.begin({})
            keep(store, login.method.provider, await login.end(None), login)
    owner.lasts_seconds = 3600


async def prompt(made: Daemon, session_id: str) -> dict:
    parts = [{"type": "text", "text": "Look."}]
    return (await made.call("agent/prompt", {"sessionId": session_id, "parts": parts}))["result"]


AS_ROOT = os.geteuid() == 0
UNPRIVILEGED = ("setpriv", "--inh-caps=-all", "--bounding-set=-all")


USERS = pytest.mark.parametrize(
    "before",
    [
        pytest.param(UNPRIVILEGED if AS_ROOT else (), id="as any user"),
        pytest.param((), id="as root", marks=pytest.mark.skipif(not AS_ROOT, reason="needs root")),
    ],
)


@USERS
async def test_no_command_finds_a_key_and_nothing_that_is_written_has_one(tmp_path, monkeypatch, before):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (project / "look.py").write_text(LOOK)
    # The command's parent is the daemon; the host is the daemon's other child.
    command = (
        f"'{sys.executable}' look.py $PPID $(cat /proc/$PPID/task/$PPID/children) > seen.txt; "
        f"env > env.txt; cp look.py copy.py; ls -A"
    )
    script = [
        (Call("bash", {"command": command, "description": "look"}),),
        (Text("I looked."),),
        (Status(401, f"Incorrect API key provided: {IN_ENVIRONMENT}."),),
    ]
    async with WireServer(script) as server, daemon(home, project, server, *before) as made:
        session_id = (await made.call("agent/session/new", {"title": "Secrets"}))["result"]["id"]
        assert (await prompt(made, session_id))["stopReason"] == "end_turn"
        failed = await prompt(made, session_id)
        status = (await made.call("agent/status", {}))["result"]
        models = (await made.call("agent/models", {"limit": 10_000}))["result"]

    assert server.requests[0].headers["authorization"] == f"Bearer {IN_ENVIRONMENT}"
    providers = {one["id"].partition("/")[0] for one in models["models"]}
    assert providers >= {"openai", "groq", "gemini"}, "all three keys are in use"
    assert failed["error"]["code"] == "authentication"

    seen = (project / "seen.txt").read_text()
    both = [status["pid"], *[pid for pid in _arguments(seen) if pid != status["pid"]]]
    assert len(both) >= 2, seen[-500:]
    if before or not AS_ROOT:
        for pid in both[:2]:
            assert f"REFUSED /proc/{pid}/environ" in seen
            assert f"REFUSED {pid} memory" in seen
    else:
        assert f"READ /proc/{status['pid']}/environ b'" in seen
        assert "XDG_CONFIG_HOME" in seen.split(f"READ /proc/{status['pid']}/environ ")[1].split("\n")[0]

    _assert_no_key_in(home, project, made)


@pytest.mark.skipif(not Path(SYSTEMS_PYTHON).exists(), reason="the system has no Python")
@USERS
async def test_a_command_in_the_sandbox_finds_no_key_in_processes_and_files(tmp_path, monkeypatch, before):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (project / "look.py").write_text(LOOK)
    keys = home / "config" / "placet" / "keys.json"
    (project / "keys.py").write_text(f"print(open({str(keys)!r}).read())")
    command = f"{SYSTEMS_PYTHON} look.py > seen.txt; env > env.txt; {SYSTEMS_PYTHON} keys.py > read.txt 2>&1"
    script = [(Call("bash", {"command": command, "description": "look"}),), (Text("I looked."),)]
    async with WireServer(script) as server, daemon(home, project, server, *before, sandbox="require") as made:
        session_id = (await made.call("agent/session/new", {"title": "Secrets"}))["result"]["id"]
        assert (await prompt(made, session_id))["stopReason"] == "end_turn"
        status = (await made.call("agent/status", {}))["result"]

    assert status["sandbox"].startswith(("bubblewrap", "landlock"))
    seen = (project / "seen.txt").read_text()
    assert "look.py" in seen, "the command sees itself"
    if status["sandbox"].startswith("bubblewrap"):
        assert "--stdio" not in seen, "the command sees no process of Placet"
    assert f"READ /proc/{status['pid']}/environ" not in seen
    assert IN_FILE not in (project / "read.txt").read_text()
    _assert_no_key_in(home, project, made)


@USERS
async def test_no_command_finds_a_token_of_a_subscription_and_nothing_that_is_written_has_one(
    tmp_path, monkeypatch, before
):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (project / "look.py").write_text(LOOK)
    command = f"'{sys.executable}' look.py > seen.txt; env > env.txt"
    async with SubscriptionServer(interval=0) as owner:
        calls = (Call("bash", {"command": command, "description": "look"}),)
        owner.model.play([calls, (Text("I looked."),), (Status(400, f"I refuse {owner.copilot(3)}."),)])
        async with daemon(home, project, owner.model, *before, owner=owner) as made:
            session_id = (await made.call("agent/session/new", {"title": "Secrets"}))["result"]["id"]
            assert (await prompt(made, session_id))["stopReason"] == "end_turn"
            assert "error" in await prompt(made, session_id)

        assert owner.granted == 3, "one for each sign-in, and one renewal"
        assert owner.model.requests[0].headers["authorization"] == f"Bearer {owner.copilot(3)}"
        _assert_no_key_in(home, project, made, owner.secrets())


def _assert_no_key_in(home: Path, project: Path, made: Daemon, keys: Sequence[str] = KEYS) -> None:
    told = json.dumps(made.messages) + made.stderr.decode()
    for key in keys:
        for name in ("seen.txt", "env.txt"):
            assert key not in (project / name).read_text(), name
        assert key not in told
        for file in home.rglob("*"):
            if file.is_file() and file.name != "keys.json":
                assert key.encode() not in file.read_bytes(), file
    assert [file for file in home.rglob("*") if file.name == "placet.db"]
    assert [file for file in home.rglob("*") if file.name == "model-host.log"]


def _arguments(seen: str) -> list[int]:
    """The processes whose memory the command tried to read."""
    lines = (line.split() for line in seen.splitlines())
    return [
        int(words[1])
        for words in lines
        if words[:1] == ["MEMORY"] or (words[:1] == ["REFUSED"] and words[2:3] == ["memory"])
    ]
