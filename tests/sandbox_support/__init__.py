"""A sandbox that holds nothing and remembers which programs ran in it, for tests of those who start the programs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from placet.core.errors import PlacetError
from placet.core.values import replace
from placet.project.processes.child import Command
from placet.sandbox.programs import Contain, Program

MARK = "INSIDE_THE_FAKE_SANDBOX"
"""Variable that a program in the fake sandbox has in its environment."""


class FakeSandbox:
    def __init__(self, refusal: str = "") -> None:
        self.programs: list[Program] = []
        """Each start of a program, in order."""
        self.running: list[str] = []
        """Names of the programs whose sandbox is open."""
        self.refusal = refusal

    def contain(self, program: Program) -> Contain:
        @asynccontextmanager
        async def contained(command: Command) -> AsyncGenerator[Command]:
            if self.refusal:
                raise PlacetError(self.refusal)
            self.programs.append(program)
            self.running.append(program.name)
            try:
                yield replace(command, environment={**command.environment, MARK: "1"})
            finally:
                self.running.remove(program.name)

        return contained
