"""Networks of sessions, with the real programs: bubblewrap, nsenter, curl, git, pip, Python and Node."""

import asyncio
import os
import shlex
import shutil
import signal
import socket
import sys
import zipfile
from collections.abc import AsyncGenerator, Generator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from network_support import PUBLIC, Internet, echo, show_request
from placet.sandbox.containment import Containment, Network
from placet.sandbox.network.holder import Holder, Programs
from placet.sandbox.network.namespace import Networks, SessionNetwork
from process_support import has_ended, is_gone
from wire_servers.certificates import self_signed

BUBBLEWRAP = shutil.which("bwrap") or ""
INNER = (BUBBLEWRAP, "--unshare-user", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--cap-drop", "ALL")

pytestmark = pytest.mark.skipif(
    not (BUBBLEWRAP and shutil.which("nsenter")), reason="bubblewrap and nsenter are not installed"
)


@pytest.fixture
def internet() -> Internet:
    return Internet({"good.test": [PUBLIC]})


@pytest.fixture
async def networks(internet: Internet) -> AsyncGenerator[Networks]:
    networks = Networks(BUBBLEWRAP, outside=internet.outside, environment={})
    yield networks
    await networks.close()


def containment(*domains: str, network: Network = "ask", root: Path | None = None) -> Containment:
    roots = () if root is None else (root,)
    return Containment(roots=roots, writable=roots, network=network, domains=domains)


async def run(network: SessionNetwork, *words: str, binds: tuple[Path, ...] = (), **variables: str) -> tuple[int, str]:
    """Run a contained program, and return the exit code and the output."""
    home = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    writable = (word for path in binds for word in ("--bind", str(path), str(path)))
    process = await asyncio.create_subprocess_exec(
        *(*network.prefix, *INNER, *writable, "--", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**home, **network.environment, **variables},
    )
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


async def test_curl_reaches_a_listed_host_and_no_other(networks: Networks, internet: Internet) -> None:
    policy = containment("good.test")
    network = await networks.of_session("s", policy)
    async with internet.server(show_request, (PUBLIC, 80)), network.command(policy, None) as connections:
        code, output = await run(network, "curl", "-sS", "http://good.test/path")
        assert (code, output.splitlines()[0]) == (0, "GET /path HTTP/1.1")
        code, output = await run(network, "curl", "-sS", "--proxytunnel", "http://good.test/path")
        assert (code, output.splitlines()[0]) == (0, "GET /path HTTP/1.1")
        socks = network.environment["all_proxy"].replace("http://", "socks5h://")
        code, output = await run(network, "curl", "-sS", "--proxy", socks, "http://good.test/path")
        assert (code, output.splitlines()[0]) == (0, "GET /path HTTP/1.1")
        assert await run(network, "curl", "-sS", "http://evil.test/") == (
            0,
            "Placet's sandbox refuses the connection to evil.test:80: not in `sandbox.domains`.\n",
        )
        code, output = await run(network, "curl", "-sS", "https://evil.test/")
        assert code == 56
        assert "403" in output
        code, output = await run(network, "curl", "-sS", "--proxy", socks, "https://evil.test/")
        assert code == 97
        assert [str(refusal) for refusal in connections.refusals] == [
            "connect to evil.test:80 (not in `sandbox.domains`)",
            "connect to evil.test:443 (not in `sandbox.domains`)",
        ]


async def test_the_user_is_asked_while_curl_waits(networks: Networks, internet: Internet) -> None:
    async def ask(host: str, port: int) -> bool:
        asked.append((host, port))
        return host == "good.test"

    asked: list[tuple[str, int]] = []
    policy = containment()
    network = await networks.of_session("s", policy)
    async with internet.server(show_request, (PUBLIC, 80)), network.command(policy, ask):
        code, output = await run(network, "curl", "-sS", "http://good.test/", "http://evil.test/", "http://good.test/")
    assert code == 0
    assert output.count("GET / HTTP/1.1") == 2
    assert "the user does not want this connection" in output
    assert asked == [("good.test", 80), ("evil.test", 80)]


async def test_two_commands_of_a_session_meet_on_loopback(networks: Networks) -> None:
    for policy in (containment("good.test"), containment(network="off")):
        network = await networks.of_session("s", policy)
        assert await networks.of_session("s", policy) is network
        serve = "import socket; s = socket.create_server(('127.0.0.1', 8000)); print('ready', flush=True); s.accept()"
        server = await asyncio.create_subprocess_exec(
            *(*network.prefix, *INNER, "--", "python3", "-c", serve), stdout=asyncio.subprocess.PIPE
        )
        assert server.stdout is not None
        assert await server.stdout.readline() == b"ready\n"
        connect = "import socket; socket.create_connection(('127.0.0.1', 8000))"
        assert await run(network, "python3", "-c", connect) == (0, "")
        assert await server.wait() == 0


async def test_sessions_and_states_of_the_network_have_namespaces_of_their_own(networks: Networks) -> None:
    made = [
        await networks.of_session("s", containment()),
        await networks.of_session("s", containment(network="off")),
        await networks.of_session("t", containment()),
    ]
    spaces = [(await run(network, "readlink", "/proc/self/ns/net"))[1] for network in made]
    assert len({*spaces, Path("/proc/self/ns/net").readlink().as_posix() + "\n"}) == 4


async def test_without_a_network_no_command_knows_a_proxy(networks: Networks) -> None:
    network = await networks.of_session("s", containment("good.test", network="off"))
    assert network.environment == {}
    assert network.prefix
    assert not network.own_namespace
    async with network.command(containment("good.test", "localhost:9", network="off"), None):
        assert (await run(network, "curl", "-sS", "http://good.test/"))[0] == 6


async def test_the_whole_network_is_the_machines_own(networks: Networks) -> None:
    network = await networks.of_session("s", containment(network="allow"))
    assert (network.prefix, network.environment, network.own_namespace) == ((), {}, False)


async def test_services_and_abstract_sockets_of_the_machine_are_out_of_reach(networks: Networks) -> None:
    policy = containment()
    network = await networks.of_session("s", policy)
    attempts = """
import socket, sys
def attempt(name, family, kind, address):
    s = socket.socket(family, kind)
    s.settimeout(5)
    try:
        s.connect(address)
        s.send(b'x')
        print('ESCAPED', name)
    except OSError as error:
        print(name, type(error).__name__)
attempt('loopback', socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', int(sys.argv[1])))
attempt('abstract', socket.AF_UNIX, socket.SOCK_STREAM, chr(0) + sys.argv[2])
attempt('literal', socket.AF_INET, socket.SOCK_STREAM, ('192.0.2.1', 80))
attempt('datagram', socket.AF_INET, socket.SOCK_DGRAM, ('192.0.2.1', 53))
attempt('metadata', socket.AF_INET, socket.SOCK_STREAM, ('169.254.169.254', 80))
try:
    print('ESCAPED', socket.getaddrinfo('good.test', 80))
except OSError as error:
    print('name', type(error).__name__)
"""
    name = f"placet-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as service, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{name}")
        abstract.listen()
        arguments = (str(service.getsockname()[1]), name)
        async with network.command(policy, None):
            code, output = await run(network, "env", "-i", sys.executable, "-I", "-c", attempts, *arguments)
        service.setblocking(False)
        with pytest.raises(BlockingIOError):
            service.accept()
    assert code == 0
    assert output.split("\n") == [
        *("loopback ConnectionRefusedError", "abstract ConnectionRefusedError", "literal OSError"),
        *("datagram OSError", "metadata OSError", "name gaierror", ""),
    ]


async def test_a_listed_port_of_this_machine_is_reached_in_spite_of_no_proxy(
    networks: Networks, internet: Internet
) -> None:
    policy = containment("localhost:3000")
    network = await networks.of_session("s", containment())
    async with internet.server(show_request, ("127.0.0.1", 3000)):
        async with network.command(policy, None):
            code, output = await run(network, "curl", "-sS", "http://localhost:3000/")
            assert (code, output.splitlines()[0]) == (0, "GET / HTTP/1.1")
            assert (await run(network, "curl", "-sS", "http://localhost:3001/"))[0] == 7
        # A later command, whose list does not open the port, finds nobody there.
        async with network.command(containment(), None) as connections:
            assert (await run(network, "curl", "-sS", "http://localhost:3000/"))[0] in {52, 56}
            assert [(refusal.host, refusal.port) for refusal in connections.refusals] == [("localhost", 3000)]


async def test_a_process_that_outlives_its_command_reaches_nothing(networks: Networks) -> None:
    policy = containment("good.test")
    network = await networks.of_session("s", policy)
    async with network.command(policy, None):
        pass
    assert "not in `sandbox.domains`" in (await run(network, "curl", "-sS", "http://good.test/"))[1]


async def test_a_holder_that_was_killed_is_replaced(networks: Networks, internet: Internet) -> None:
    policy = containment("good.test")
    network = await networks.of_session("s", policy)
    os.kill(int(network.prefix[1].split("/")[2]), signal.SIGKILL)
    while network.is_alive:  # noqa: ASYNC110 - the kernel ends the process
        await asyncio.sleep(0.01)
    replaced = await networks.of_session("s", policy)
    assert replaced is not network
    async with internet.server(show_request, (PUBLIC, 80)), replaced.command(policy, None):
        assert (await run(replaced, "curl", "-sS", "http://good.test/"))[1].startswith("GET / ")


async def test_the_end_of_a_session_ends_its_holders(networks: Networks) -> None:
    made = [await networks.of_session("s", containment(network=state)) for state in ("ask", "off")]
    other = await networks.of_session("t", containment())
    holders = [int(network.prefix[1].split("/")[2]) for network in (*made, other)]
    await networks.close_session("s")
    assert [has_ended(holder) for holder in holders[:2]] == [True, True]
    assert not is_gone(holders[2])
    await networks.close()
    assert has_ended(holders[2])


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("moment", ["before the start", "after the start"])
async def test_a_network_whose_making_is_cancelled_again_and_again_leaves_no_process(
    networks: Networks, monkeypatch: pytest.MonkeyPatch, moment: str, number: int
) -> None:
    """The session stops the making with a turn, and once more at its close. The second process tries the holder."""
    start = asyncio.create_subprocess_exec
    has_come = asyncio.Event()
    starts = 0
    processes: list[asyncio.subprocess.Process] = []

    async def noted(*words: Any, **options: Any) -> asyncio.subprocess.Process:
        nonlocal starts
        starts += 1
        is_meant = starts == number
        if is_meant and moment == "before the start":
            has_come.set()
        processes.append(process := await start(*words, **options))
        if is_meant:
            has_come.set()
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    making = asyncio.create_task(networks.of_session("s", containment()))
    await has_come.wait()
    while not making.done():
        making.cancel()
        await asyncio.sleep(0)
    assert making.cancelled()
    assert len(processes) == number
    assert all(process.returncode is not None for process in processes)


async def test_an_end_of_a_session_that_is_cancelled_again_and_again_ends_its_holder(networks: Networks) -> None:
    network = await networks.of_session("s", containment())
    holder = int(network.prefix[1].split("/")[2])
    ending = asyncio.create_task(networks.close_session("s"))
    while not ending.done():
        await asyncio.sleep(0)
        ending.cancel()
    assert has_ended(holder)


async def test_no_holder_is_left_after_the_daemon_was_killed() -> None:
    daemon = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _DAEMON, BUBBLEWRAP), stdout=asyncio.subprocess.PIPE
    )
    assert daemon.stdout is not None
    holder = int(await daemon.stdout.readline())
    assert not is_gone(holder)
    daemon.kill()
    await daemon.wait()
    assert has_ended(holder)


_DAEMON = """
import asyncio, sys
from placet.sandbox.containment import Containment
from placet.sandbox.network.namespace import Networks
async def main():
    network = await Networks(sys.argv[1]).of_session("s", Containment(roots=(), writable=(), network="ask"))
    print(network.prefix[1].split("/")[2], flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_a_holder_takes_little_memory() -> None:
    programs = Programs(BUBBLEWRAP, shutil.which("nsenter") or "", shutil.which("cat") or "")
    holder, listener = await Holder.start(programs)
    listener.close()
    file = Path(f"/proc/{holder.process_id}/status")
    while "Name:\tcat\n" not in (status := file.read_text()):  # noqa: ASYNC110 - the program becomes `cat` by itself
        await asyncio.sleep(0.01)
    await holder.end()
    assert int(status.partition("VmRSS:")[2].split()[0]) < 4096


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo No permission to create namespaces >&2; exit 1", "No permission to create namespaces"),
        ("exit 0", "the holder of the namespace does not start"),
        ('case "$*" in *unshare-net*) exec {bwrap} "$@";; *) echo no nesting; exit 1;; esac', "no nesting"),
    ],
)
async def test_where_namespaces_cannot_be_had_each_command_has_its_own(
    script: str, reason: str, tmp_path: Path, internet: Internet
) -> None:
    wrapper = tmp_path / "bwrap"
    wrapper.write_text(f"#!/bin/sh\n{script.replace('{bwrap}', BUBBLEWRAP)}\n")
    wrapper.chmod(0o755)
    networks = Networks(str(wrapper), outside=internet.outside)
    network = await networks.of_session("s", containment("good.test"))
    assert (network.prefix, network.environment, network.own_namespace) == ((), {}, True)
    assert reason in network.lacks
    async with network.command(containment("good.test"), None) as connections:
        assert connections.refusals == ()
    await networks.close()


async def test_without_nsenter_each_command_has_its_own_namespace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    network = await Networks(BUBBLEWRAP).of_session("s", containment())
    assert network.own_namespace
    assert "`nsenter` of util-linux is not on PATH" in network.lacks


async def test_a_backend_without_namespaces_has_the_proxy_on_the_loopback_of_this_machine(internet: Internet) -> None:
    networks = Networks(None, outside=internet.outside, environment={})
    off = await networks.of_session("s", containment(network="off"))
    assert (off.prefix, off.proxy_port, off.environment, off.own_namespace) == ((), None, {}, False)
    policy = containment("good.test")
    network = await networks.of_session("s", policy)
    assert network.prefix == ()
    assert network.environment["http_proxy"] == f"http://127.0.0.1:{network.proxy_port}"
    async with internet.server(show_request, (PUBLIC, 80)), network.command(policy, None):
        assert (await run(network, "curl", "-sS", "http://good.test/"))[1].startswith("GET / ")
        assert "not in `sandbox.domains`" in (await run(network, "curl", "-sS", "http://evil.test/"))[1]
    await networks.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_a_plain_user_enters_the_namespace_of_a_holder(tmp_path: Path) -> None:
    from placet.sandbox.network import holder

    cat = shutil.which("cat") or ""
    outer = shlex.join((BUBBLEWRAP, *holder._OUTER, "sh", "-c", f"echo $$; exec {cat}"))  # pyright: ignore[reportPrivateUsage]
    script = f"""
coproc HOLDER {{ {outer}; }}
read -r pid <&"${{HOLDER[0]}}"
nsenter --user=/proc/$pid/ns/user --net=/proc/$pid/ns/net --preserve-credentials -- \\
  {shlex.join(INNER)} -- sh -c 'readlink /proc/self/ns/net; id -u'
echo $(readlink /proc/$pid/ns/net)
"""
    process = await asyncio.create_subprocess_exec(
        *("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c", script),
        stdout=asyncio.subprocess.PIPE,
        cwd="/",
    )
    output, _ = await process.communicate()
    inside, user, holders = output.decode().split()
    assert user == "65534"
    assert inside == holders != os.readlink("/proc/self/ns/net")


@pytest.fixture
def site(tmp_path: Path, internet: Internet) -> Generator[Path]:
    """A web site of plain files at http://good.test and https://good.test."""
    root = tmp_path / "site"
    root.mkdir()
    context, _ = self_signed(tmp_path)
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) for _ in range(2)]
    servers[1].socket = context.wrap_socket(servers[1].socket, server_side=True)
    internet.servers |= {(PUBLIC, 80): servers[0].server_port, (PUBLIC, 443): servers[1].server_port}
    threads = [Thread(target=server.serve_forever) for server in servers]
    for thread in threads:
        thread.start()
    yield root
    for server, thread in zip(servers, threads, strict=True):
        server.shutdown()
        thread.join()
        server.server_close()


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_git_clones_through_the_proxy(networks: Networks, site: Path, tmp_path: Path, scheme: str) -> None:
    policy = containment("good.test")
    network = await networks.of_session("s", policy)
    commands = "git init -q r && cd r && git -c user.name=n -c user.email=e commit -q --allow-empty -m first"
    await (await asyncio.create_subprocess_shell(f"{commands} && git update-server-info", cwd=site)).wait()
    place = tmp_path / "clone"
    place.mkdir()
    words = ("git", "clone", "-q", f"{scheme}://good.test/r/.git", str(place))
    async with network.command(policy, None) as connections:
        assert await run(network, *words, binds=(tmp_path,), GIT_SSL_NO_VERIFY="1") == (0, "")
        assert (await run(network, "git", "-C", str(place), "log", "--format=%s"))[1] == "first\n"
        code, output = await run(network, "git", "ls-remote", "https://evil.test/r")
        assert code == 128
        assert "403" in output
        assert [refusal.host for refusal in connections.refusals] == ["evil.test"]


async def test_pip_downloads_through_the_proxy(networks: Networks, site: Path, tmp_path: Path) -> None:
    policy = containment("good.test")
    network = await networks.of_session("s", policy)
    wheel = site / "simple" / "thing" / "thing-1-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("thing.py", "")
        archive.writestr("thing-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: thing\nVersion: 1\n")
        archive.writestr("thing-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("thing-1.dist-info/RECORD", "")
    target = tmp_path / "target"
    target.mkdir()
    words = ("-q", "--no-cache-dir", "--disable-pip-version-check", "--retries", "0", "-d", str(target), "thing")
    index = ("--index-url", "http://good.test/simple", "--trusted-host", "good.test")
    async with network.command(policy, None):
        pip = (sys.executable, "-m", "pip", "download", *index, *words)
        code, output = await run(network, *pip, binds=(tmp_path,), TMPDIR=str(tmp_path))
    assert code == 0, output
    assert [file.name for file in target.iterdir()] == [wheel.name]


async def test_python_and_curl_use_the_variables(networks: Networks, site: Path) -> None:
    policy = containment("good.test")
    network = await networks.of_session("s", policy)
    (site / "text").write_text("hello")
    fetch = "import urllib.request as r; print(r.urlopen('http://good.test/text').read().decode())"
    async with network.command(policy, None):
        assert await run(network, sys.executable, "-I", "-c", fetch) == (0, "hello\n")
        assert await run(network, "curl", "-sSk", "https://good.test/text") == (0, "hello")


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
async def test_a_node_server_and_its_client_meet_in_one_command(networks: Networks) -> None:
    policy = containment()
    network = await networks.of_session("s", policy)
    script = """
const server = require('http').createServer((_, response) => response.end('hello'));
server.listen(0, '127.0.0.1', async () => {
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/`);
  console.log(await answer.text());
  process.exit(0);
});
"""
    async with network.command(policy, None):
        assert await run(network, "node", "-e", script) == (0, "hello\n")


async def test_ssh_goes_through_the_proxy_by_its_proxy_command(networks: Networks, internet: Internet) -> None:
    policy = containment("good.test:22")
    network = await networks.of_session("s", policy)
    words = shlex.split(network.environment["GIT_SSH_COMMAND"])
    assert words[:2] == ["ssh", "-o"]
    command = words[2].removeprefix("ProxyCommand=").replace("%p", "22").replace("%%", "%")
    async with internet.server(echo, (PUBLIC, 22)), network.command(policy, None):
        line = f"printf SSH-2.0 | {command.replace('%h', 'good.test')}"
        assert await run(network, "sh", "-c", line) == (0, "SSH-2.0")
        assert await run(network, "sh", "-c", command.replace("%h", "evil.test")) == (
            1,
            "Placet's sandbox refuses the connection to evil.test:22: not in `sandbox.domains`.\n",
        )


async def test_java_learns_of_the_proxy_where_a_project_builds_with_java(networks: Networks, tmp_path: Path) -> None:
    plain = await networks.of_session("s", containment(root=tmp_path))
    assert "JAVA_TOOL_OPTIONS" not in plain.environment
    (tmp_path / "pom.xml").touch()
    java = await networks.of_session("t", containment(root=tmp_path))
    port = java.environment["http_proxy"].rpartition(":")[2]
    assert f"-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort={port}" in java.environment["JAVA_TOOL_OPTIONS"]
