"""Containment of the programs of a front end by the present settings."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from placet.permissions.rules import builtin_rules, evaluate, from_settings, root_names
from placet.project.paths import Workspace
from placet.project.processes.child import Command
from placet.sandbox.listings import ALL_READABLE, ReadingRules
from placet.sandbox.programs import Contain, ContainProgram, Program
from placet.settings import Action, Locations, Settings
from placet.tools.framework.access import reading_rules

if TYPE_CHECKING:
    from placet.sandbox.program_sandboxes import ProgramSandboxes


def contained_by(settings: Callable[[], Settings], locations: Locations, *, hides: bool = True) -> ContainProgram:
    """Return the containment of programs by the settings at the start of each; the first program loads the sandbox.

    `hides`: the files are hidden that the rules for `read` ask about or deny.
    """
    made: list[ProgramSandboxes] = []

    def contain(program: Program) -> Contain:
        @asynccontextmanager
        async def contained(command: Command) -> AsyncGenerator[Command]:
            present = settings()
            if present.sandbox.mode == "off":
                yield command
                return
            if not made:
                from placet.sandbox.program_sandboxes import ProgramSandboxes

                made.append(ProgramSandboxes(locations))
            reading = reading_of(present, program.roots) if hides else None
            async with made[0].contained(program, command, present.sandbox, reading or ALL_READABLE) as inside:
                yield inside

        return contained

    return contain


def reading_of(settings: Settings, folders: tuple[Path, ...]) -> ReadingRules | None:
    """Return the rules about hidden files without the rules of an agent; None if a rule asks about every file.

    From a program no file is hidden then. Raises SettingsError.
    """
    built_in = builtin_rules()
    rules, roots = (*built_in, *from_settings(settings.written, built_in)), root_names(folders)

    def judge(permission: str, pattern: str) -> Action:
        return evaluate(rules, permission, pattern, roots).action

    return reading_rules(Workspace(folders), judge, rules)
