"""Connections of a command: the judgement of a host by the list of domains and by the user, and the refusals."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from placet.core.errors import PlacetError
from placet.sandbox.domains import Domains, Host

HOLD_SECONDS = 60.0
"""Time that a connection waits for the user's answer; the question stays open for a later connection."""
MAX_QUESTIONS = 5
MAX_REFUSALS = 50
MAX_HOSTS = 50

AskHost = Callable[[str, int], Awaitable[bool]]
"""Function that asks the user whether the command may connect to (host, port). A PlacetError is a no with a reason."""


class Refused(Exception):
    """The sandbox does not allow a connection; the message is the reason, without the host."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refused connection, for the result of the command."""

    host: str
    port: int
    reason: str

    def __str__(self) -> str:
        return f"connect to {self.host}:{self.port} ({self.reason})"


class CommandConnections:
    """Judge of the connections of one command; the session's network owns the judge while the command runs.

    The answers of the user hold for the command. Longer grants belong to `ask`.
    """

    def __init__(self, domains: Domains, ask: AskHost | None = None) -> None:
        """Make the judge; without `ask` every unknown host is refused."""
        self.domains = domains
        self._ask = ask
        self._answers: dict[tuple[Host, int], asyncio.Task[bool]] = {}
        """Questions to the user, open and answered."""
        self._turn = asyncio.Lock()
        """Lock of the question on the screen: the user sees a single question at a time."""
        self._refusals: dict[Refusal, None] = {}
        self._hosts: dict[str, None] = {}

    async def close(self) -> None:
        """Take back the open questions, at the end of the command."""
        for answer in self._answers.values():
            answer.cancel()
        await asyncio.gather(*self._answers.values(), return_exceptions=True)

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """Return the refused connections, each host and reason once, the first MAX_REFUSALS."""
        return tuple(self._refusals)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the allowed hosts with the ports, each once, the first MAX_HOSTS."""
        return tuple(self._hosts)

    def note(self, refusal: Refusal) -> None:
        if len(self._refusals) < MAX_REFUSALS:
            self._refusals[refusal] = None

    async def allow(self, host: Host, port: int) -> None:
        """Return if the list or the user allows the host. Raises Refused."""
        match self.domains.judge(host, port):
            case "allow":
                pass
            case "deny" if host.is_loopback:
                raise Refused("a port of this machine, which `sandbox.domains` does not open")
            case "deny":
                raise Refused("denied by `sandbox.domains`")
            case "unknown":
                await self._allow_by_user(host, port)
        if len(self._hosts) < MAX_HOSTS:
            self._hosts[f"{host}:{port}"] = None

    async def _allow_by_user(self, host: Host, port: int) -> None:
        if self._ask is None:
            raise Refused("not in `sandbox.domains`")
        answer = self._answers.get((host, port))
        if answer is None:
            if len(self._answers) >= MAX_QUESTIONS:
                raise Refused(f"not in `sandbox.domains`, and a command asks about {MAX_QUESTIONS} hosts at most")
            answer = asyncio.create_task(self._question(self._ask, host, port), name=f"question about {host}:{port}")
            self._answers[host, port] = answer
        await asyncio.wait((answer,), timeout=HOLD_SECONDS)
        if not answer.done():
            raise Refused(f"not in `sandbox.domains`, and no answer within {HOLD_SECONDS:.0f} seconds")
        if answer.cancelled():
            raise Refused("not in `sandbox.domains`, and the command has ended")
        try:
            is_allowed = answer.result()
        except PlacetError as error:
            raise Refused(str(error).rstrip(".")) from error
        if not is_allowed:
            raise Refused("the user does not want this connection")

    async def _question(self, ask: AskHost, host: Host, port: int) -> bool:
        async with self._turn:
            return await ask(str(host), port)
