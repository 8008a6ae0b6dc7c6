"""Networks of sessions: commands of a session share a loopback, and reach other hosts only by the proxy.

A session has a namespace for each state of its network: commands without a network (agent `plan`) never share a
namespace with commands that have the proxy, so that no connection is judged by the list of another command. A
connection belongs to the command of the namespace that was started last and still runs.

Where namespaces cannot be nested (Ubuntu's AppArmor profile for bubblewrap), or nsenter is missing, each command has a
namespace of its own, without the proxy. Backends without namespaces (Landlock, Seatbelt) hold commands to the port of
a proxy on the loopback of this machine.
"""

import asyncio
import os
import shlex
import socket
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.tasks import to_the_end
from placet.project.processes.programs import find_program
from placet.sandbox.containment import Containment, Network
from placet.sandbox.domains import Domains
from placet.sandbox.network.connections import AskHost, CommandConnections
from placet.sandbox.network.destination import Outside
from placet.sandbox.network.holder import Holder, NoNamespace, Programs
from placet.sandbox.network.proxy import Proxy

_TUNNEL = Path(__file__).with_name("tunnel_process.py")
_JVM_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "build.sbt")


class SessionNetwork:
    """Network of a session's commands in one state; Networks owns the network until the session is closed.

    Without a holder the network is this machine's own, or with `own_namespace` a network for each command.
    """

    def __init__(
        self,
        holder: Holder | None = None,
        outside: Outside | None = None,
        *,
        own_namespace: bool = False,
        lacks: str = "",
    ) -> None:
        """Make the network; without `outside` commands have no proxy."""
        self._holder = holder
        self._proxy = None if outside is None else Proxy(self._newest, outside)
        self._running: list[CommandConnections] = []
        self._forwarded: set[int] = set()
        self._forwarding = asyncio.Lock()
        self.proxy_port: int | None = None
        """Port of the proxy on the loopback of the commands."""
        self.environment: Mapping[str, str] = {}
        """Variables to lead programs to the proxy."""
        self.own_namespace = own_namespace
        """Whether each command needs a network namespace of its own (`bwrap --unshare-net`)."""
        self.lacks = lacks
        """Reason why the commands share no loopback and have no proxy, for the user; otherwise empty."""

    async def listen(self, listener: socket.socket, roots: Sequence[Path], environment: Mapping[str, str]) -> None:
        """Serve the proxy on a listener of the commands' loopback; `environment` is the environment of commands."""
        assert self._proxy is not None
        port: int = listener.getsockname()[1]
        self.proxy_port = port
        self.environment = await in_thread(_proxy_environment, port, roots, environment)
        await self._proxy.listen(listener)

    @property
    def is_alive(self) -> bool:
        return self._holder is None or self._holder.is_alive

    @property
    def prefix(self) -> tuple[str, ...]:
        """Return the words before a program for the namespace."""
        return () if self._holder is None else self._holder.prefix

    @asynccontextmanager
    async def command(self, containment: Containment, ask: AskHost | None) -> AsyncGenerator[CommandConnections]:
        """Judge the connections of a command while the block runs; `ask` is for hosts that the list does not name."""
        connections = CommandConnections(Domains.read(containment.domains), ask)
        await self._forward(connections.domains.loopback_ports)
        self._running.append(connections)
        try:
            yield connections
        finally:
            self._running.remove(connections)
            await connections.close()

    async def close(self) -> None:
        await to_the_end(self._close())

    async def _close(self) -> None:
        if self._proxy is not None:
            await self._proxy.close()
        if self._holder is not None:
            await self._holder.end()

    def _newest(self) -> CommandConnections:
        """Return the connections of the newest command; a process that outlives all commands reaches nothing."""
        return self._running[-1] if self._running else CommandConnections(Domains())

    async def _forward(self, ports: Sequence[int]) -> None:
        """Open ports of this machine inside the namespace."""
        if self._proxy is None or self._holder is None:
            return
        async with self._forwarding:
            missing = [port for port in ports if port not in self._forwarded]
            if not missing:
                return
            try:
                listeners = await self._holder.open(missing)
            except NoNamespace:
                return  # The holder has just been killed, and the command cannot start either.
            for port, listener in listeners.items():
                await self._proxy.forward(listener, port)
                self._forwarded.add(port)


class Networks:
    """Networks of all sessions; the sandbox owns the networks until the daemon's end."""

    def __init__(
        self, bubblewrap: str | None, *, outside: Outside | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Make the networks, without bubblewrap for a backend that has no namespaces.

        `environment` is the environment of commands, by default this process's.
        """
        self._bubblewrap = bubblewrap
        self._outside = outside or Outside()
        self._environment = os.environ if environment is None else environment
        self._networks: dict[tuple[str, Network], SessionNetwork] = {}
        self._changing = asyncio.Lock()

    async def of_session(self, session_id: str, containment: Containment) -> SessionNetwork:
        """Return the session's network for the containment's state of the network, made at the first call.

        A network is made anew if the holder was killed: commands of the old namespace lose the proxy.
        """
        if containment.network == "allow":
            return SessionNetwork()
        key = session_id, containment.network
        async with self._changing:
            network = self._networks.get(key)
            if network is not None and not network.is_alive:
                await network.close()
                network = None
            if network is None:
                network = self._networks[key] = await self._start(containment)
            return network

    async def close_session(self, session_id: str) -> None:
        async with self._changing:
            for key in [key for key in self._networks if key[0] == session_id]:
                await self._networks.pop(key).close()

    async def close(self) -> None:
        for session_id in {session_id for session_id, _ in self._networks}:
            await self.close_session(session_id)

    async def _start(self, containment: Containment) -> SessionNetwork:
        outside = self._outside if containment.network == "ask" else None
        if self._bubblewrap is None:
            network = SessionNetwork(None, outside)
            if outside is not None:
                await network.listen(socket.create_server(("127.0.0.1", 0)), containment.roots, self._environment)
            return network
        nsenter, cat = await in_thread(find_program, "nsenter"), await in_thread(find_program, "cat")
        try:
            if nsenter is None or cat is None:
                raise NoNamespace("`nsenter` of util-linux is not on PATH")
            holder, listener = await Holder.start(Programs(self._bubblewrap, nsenter, cat))
        except NoNamespace as error:
            lacks = f"Each command has a loopback of its own and reaches no host: {error}."
            return SessionNetwork(own_namespace=True, lacks=lacks)
        network = SessionNetwork(holder, outside)
        try:
            if outside is None:
                listener.close()
            else:
                await network.listen(listener, containment.roots, self._environment)
        except BaseException:
            listener.close()
            await network.close()
            raise
        return network


def _proxy_environment(port: int, roots: Sequence[Path], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables to lead programs to the proxy; several programs cannot use a SOCKS address."""
    proxies = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), f"http://127.0.0.1:{port}")
    variables = {**proxies, "no_proxy": "localhost,127.0.0.1,::1"}
    variables |= {name.upper(): value for name, value in variables.items()}
    variables |= {"NODE_USE_ENV_PROXY": "1", "CARGO_NET_GIT_FETCH_WITH_CLI": "true"}
    words = (sys.executable, "-I", "-S", str(_TUNNEL), str(port))
    tunnel = " ".join((*(shlex.quote(word).replace("%", "%%") for word in words), "%h", "%p"))
    ssh = environment.get("GIT_SSH_COMMAND") or "ssh"
    variables["GIT_SSH_COMMAND"] = f"{ssh} -o {shlex.quote(f'ProxyCommand={tunnel}')}"
    # Java prints the variable at each start, so only projects that build with Java get the variable.
    if any((root / name).exists() for root in roots for name in _JVM_BUILDS):
        options = (
            f"-D{scheme}.proxy{key}" for scheme in ("http", "https") for key in ("Host=127.0.0.1", f"Port={port}")
        )
        variables["JAVA_TOOL_OPTIONS"] = " ".join((*environment.get("JAVA_TOOL_OPTIONS", "").split(), *options))
    return variables
