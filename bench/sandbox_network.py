"""The proxy of the sandbox beside a direct connection, and the start of a session's namespace; Linux alone.

A connection is made, one byte goes there and back, and the connection is closed. The client is a process of its own.
"""

import asyncio
import shutil
import statistics
import sys
import time
from pathlib import Path

from bench.report import Figure
from placet.sandbox.containment import Containment
from placet.sandbox.network.destination import Outside, connect_by_system
from placet.sandbox.network.namespace import Networks, SessionNetwork

ROUNDS = 300
STARTS = 15
SPAWNS = 50
BYTES = 1 << 28
ADDRESS = "93.184.216.34"
LIMIT = "(limit: 5 ms more than direct)"
_CLIENT = """
import socket, statistics, sys, time
port, rounds, hello = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
taken = []
for _ in range(rounds):
    began = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as client:
        if hello:
            client.sendall(hello)
            while not client.recv(1 << 16).endswith(b"\\r\\n\\r\\n"):
                pass
        client.sendall(b"x")
        client.recv(1)
    taken.append(time.perf_counter() - began)
print(statistics.median(taken) * 1000)
"""
_LOAD = """
import socket, sys, time
port, count, hello = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
with socket.create_connection(("127.0.0.1", port)) as client:
    if hello:
        client.sendall(hello)
        while not client.recv(1 << 16).endswith(b"\\r\\n\\r\\n"):
            pass
    began = time.perf_counter()
    client.sendall(b"b" + count.to_bytes(8, "big"))
    while count:
        count -= len(client.recv(1 << 18))
print(time.perf_counter() - began)
"""
_SERVER = """
import socket
listener = socket.create_server(("127.0.0.1", 0), backlog=512)
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    with client:
        if client.recv(1) == b"x":
            client.sendall(b"y")
            client.recv(1)
            continue
        count = int.from_bytes(client.recv(8), "big")
        while count:
            count -= client.send(bytes(min(count, 1 << 18)))
"""


async def measure() -> list[Figure]:
    bubblewrap = shutil.which("bwrap")
    if bubblewrap is None or shutil.which("nsenter") is None:
        return []
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", _SERVER, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    port = int(await server.stdout.readline())
    try:
        return await _measure(bubblewrap, port)
    finally:
        server.kill()
        await server.wait()


async def _measure(bubblewrap: str, port: int) -> list[Figure]:
    outside = Outside(
        resolve=lambda host, _port: asyncio.sleep(0, [ADDRESS]),
        connect=lambda _address, _port: connect_by_system("127.0.0.1", port),
        upstream=lambda _scheme, _host: None,
    )
    containment = Containment(roots=(), writable=(), network="ask", domains=("good.test",))
    networks = Networks(bubblewrap, outside=outside)
    starts: list[float] = []
    for number in range(STARTS):
        began = time.perf_counter()
        await networks.of_session(f"ses_{number}", containment)
        starts.append((time.perf_counter() - began) * 1000)
    network = await networks.of_session("ses_0", containment)
    try:
        async with network.command(containment, None):
            return [
                Figure("a namespace, at a session's first command", statistics.median(starts), "ms"),
                await _spawn(bubblewrap, network),
                *await _connections(network, port),
                await _load(network, port),
                Figure("memory of a holder, bubblewrap and cat", _memory(network), "MB"),
            ]
    finally:
        await networks.close()


async def _spawn(bubblewrap: str, network: SessionNetwork) -> Figure:
    limits = ("--unshare-user", "--unshare-pid", "--dev-bind", "/", "/", "--", "true")
    ours: list[float] = []
    floor: list[float] = []
    for _ in range(SPAWNS):
        ours.append(await _seconds(*network.prefix, bubblewrap, *limits) * 1000)
        floor.append(await _seconds(bubblewrap, "--unshare-net", *limits) * 1000)
    name = "a namespace of its own"
    return Figure("a command in it", statistics.median(ours), "ms", floor=statistics.median(floor), floor_name=name)


async def _connections(network: SessionNetwork, port: int) -> list[Figure]:
    proxy = network.environment["http_proxy"].rpartition(":")[2]
    hello = "CONNECT good.test:443 HTTP/1.1\r\n\r\n"
    direct = await _client(_CLIENT, port, ROUNDS, "")
    through = await _client(_CLIENT, int(proxy), ROUNDS, hello, network.prefix)
    note = f"{through - direct:.2f} ms more {LIMIT}"
    return [Figure("a connection through the proxy", through, "ms", floor=direct, floor_name="direct", note=note)]


async def _load(network: SessionNetwork, port: int) -> Figure:
    proxy = network.environment["http_proxy"].rpartition(":")[2]
    hello = "CONNECT good.test:443 HTTP/1.1\r\n\r\n"
    direct = await _client(_LOAD, port, BYTES, "")
    through = await _client(_LOAD, int(proxy), BYTES, hello, network.prefix)
    return Figure("256 MB through the proxy", through, "s", floor=direct, floor_name="direct")


async def _client(program: str, port: int, count: int, hello: str, prefix: tuple[str, ...] = ()) -> float:
    words = (*prefix, sys.executable, "-I", "-c", program, str(port), str(count), hello)
    client = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    output, _ = await client.communicate()
    return float(output)


async def _seconds(*words: str) -> float:
    began = time.perf_counter()
    await (await asyncio.create_subprocess_exec(*words)).wait()
    return time.perf_counter() - began


def _memory(network: SessionNetwork) -> float:
    """Return the proportional set size, as the library of C is everyone's."""
    holder = int(network.prefix[1].split("/")[2])
    parent = int(Path(f"/proc/{holder}/stat").read_text().rpartition(")")[2].split()[1])
    rollups = (Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in (holder, parent))
    return sum(int(text.partition("\nPss:")[2].split()[0]) for text in rollups) / 1024
