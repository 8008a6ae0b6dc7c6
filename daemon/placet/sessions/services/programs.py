"""Containment of the programs of a front end by the present settings."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from placet.project.processes.child import Command
from placet.sandbox.programs import Contain, ContainProgram, Program
from placet.settings import Locations
from placet.settings.models import SandboxSettings

if TYPE_CHECKING:
    from placet.sandbox.program_sandboxes import ProgramSandboxes


def contained_by(settings: Callable[[], SandboxSettings], locations: Locations) -> ContainProgram:
    """Return the containment of programs by the settings at the start of each; the first program loads the sandbox."""
    made: list[ProgramSandboxes] = []

    def contain(program: Program) -> Contain:
        @asynccontextmanager
        async def contained(command: Command) -> AsyncGenerator[Command]:
            present = settings()
            if present.mode == "off":
                yield command
                return
            if not made:
                from placet.sandbox.program_sandboxes import ProgramSandboxes

                made.append(ProgramSandboxes(locations))
            async with made[0].contained(program, command, present) as inside:
                yield inside

        return contained

    return contain
