"""Commands in the whole sandbox, with the network of their session."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from network_support import PUBLIC, Internet, show_request
from placet.project.processes.child import Command
from placet.project.processes.commands import run_command
from placet.sandbox.containment import Containment
from placet.sandbox.network.namespace import Networks, SessionNetwork
from sandbox.workshop import Workshop
from time_support import wait_seconds

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not (shutil.which("bwrap") and shutil.which("nsenter")),
    reason="needs bubblewrap and nsenter",
)

SERVER = "import socket; s = socket.create_server(('127.0.0.1', 8000)); open('ready', 'w').close(); s.accept()"
CLIENT = "import socket; socket.create_connection(('127.0.0.1', 8000)); print('met')"


@pytest.fixture
def internet() -> Internet:
    return Internet({"good.test": [PUBLIC]})


@pytest.fixture
async def networks(internet: Internet) -> AsyncGenerator[Networks]:
    networks = Networks(shutil.which("bwrap"), outside=internet.outside, environment={})
    yield networks
    await networks.close()


async def run(workshop: Workshop, containment: Containment, network: SessionNetwork, *words: str) -> tuple[object, str]:
    """Run a program in the sandbox with the session's network, and return how the program ended, and the output."""
    command = Command(words, workshop.project, {"PATH": workshop.path, "HOME": str(workshop.home)})
    file = workshop.home / f"output {len(os.listdir(workshop.home))}"
    with file.open("wb", buffering=0) as output:
        async with (
            network.command(containment, None),
            workshop.sandbox.contained(command, containment, session_id="s", network=network) as contained,
        ):
            ending = await run_command(
                contained.command,
                output,
                timeout_seconds=wait_seconds(),
                abort=workshop.abort,
                max_output_bytes=1 << 20,
            )
            text = file.read_text()
            return contained.judged(ending, text).code, text


@pytest.mark.parametrize("state", ["off", "ask"])
async def test_a_server_in_a_job_and_a_client_in_the_next_command_meet(
    tmp_path: Path, networks: Networks, state: str
) -> None:
    workshop = Workshop(tmp_path)
    limits = workshop.containment(network=state)
    network = await networks.of_session("s", limits)
    job = asyncio.create_task(run(workshop, limits, network, "/usr/bin/python3", "-c", SERVER))
    await workshop.until("ready")
    assert await run(workshop, limits, network, "/usr/bin/python3", "-c", CLIENT) == (0, "met\n")
    assert (await job)[0] == 0


async def test_a_contained_command_reaches_listed_hosts_by_the_proxy_alone(
    tmp_path: Path, networks: Networks, internet: Internet
) -> None:
    workshop = Workshop(tmp_path)
    limits = workshop.containment(network="ask", domains=["good.test"])
    network = await networks.of_session("s", limits)
    async with internet.server(show_request, (PUBLIC, 80)):
        code, output = await run(workshop, limits, network, "curl", "-sS", "http://good.test/")
        assert (code, output.splitlines()[0]) == (0, "GET / HTTP/1.1")
        _, output = await run(workshop, limits, network, "curl", "-sS", "http://evil.test/")
        assert "refuses the connection to evil.test:80" in output
        code, output = await run(workshop, limits, network, "env", "-i", "curl", "-sS", f"http://{PUBLIC}/")
        assert code == 7
    assert internet.connected == [(PUBLIC, 80)]


async def test_a_contained_command_cannot_leave_the_namespace_of_its_session(
    tmp_path: Path, networks: Networks
) -> None:
    workshop = Workshop(tmp_path)
    limits = workshop.containment(network="ask")
    network = await networks.of_session("s", limits)
    for line in (
        "unshare -Urn true",
        "nsenter --net=/proc/1/ns/net --preserve-credentials true",
        "ip link add d0 type dummy",
    ):
        code, _ = await run(workshop, limits, network, "bash", "-c", line)
        assert code not in {0, None}, line
