"""The scripted server as a program of its own, for benches and demos."""

import asyncio
import gc
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from wire_servers.answers import Call, Drop, Pause, Status, Text, Usage, from_json
from wire_servers.server import WireServer

TESTS = Path(__file__).parents[1]


async def test_the_program_serves_its_script_over_and_over(tmp_path: Path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"answers": [[{"text": "one"}], [{"status": 429, "retry_after": 2}]]}), "utf-8")
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "wire_servers", "--repeat", str(script)),
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    assert server.stdout is not None
    address = (await server.stdout.readline()).decode().strip()
    try:
        async with aiohttp.ClientSession(address) as session:
            for _ in range(2):
                async with session.post("/v1/chat/completions", json={"messages": [], "model": "m"}) as reply:
                    body = await reply.text()
                assert '"content": "o"' in body
                assert body.endswith("data: [DONE]\n\n")
                async with session.post("/v1/messages", json={"messages": [], "model": "m"}) as reply:
                    assert (reply.status, reply.headers["retry-after"]) == (429, "2")
    finally:
        server.kill()
        await server.wait()


def test_steps_have_a_json_form():
    forms = [
        {"text": "x", "pieces": 1},
        {"call": "read", "arguments": {"a": 1}},
        {"usage": {"input": 3}},
        {"pause": 0.5},
        {"drop": True},
    ]

    assert from_json(forms) == (Text("x", 1), Call("read", {"a": 1}), Usage(input=3), Pause(0.5), Drop())
    assert from_json([{"status": 500}]) == (Status(500),)


def test_an_unknown_step_is_named():
    with pytest.raises(ValueError, match="txt"):
        from_json([{"txt": "x"}])


@pytest.mark.parametrize("steps", range(6))
def test_a_client_that_comes_while_the_server_closes_leaves_no_connection_open(steps: int) -> None:
    async def close_at(steps: int) -> None:
        server = WireServer()
        await server.__aenter__()
        with socket.socket() as client:
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", int(server.address.rpartition(":")[2])))
            for _ in range(steps):
                await asyncio.sleep(0)
            await server.__aexit__()
        await asyncio.sleep(0)

    with asyncio.Runner() as runner:
        runner.run(close_at(steps))
    gc.collect()  # What is open still is told now, as an error of this test.
